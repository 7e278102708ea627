import type { AnyKind, Schema } from '@agents/crd'
import { describe, expect, test } from 'vitest'
import { gitProvider } from './git-provider/kind.ts'
import { gitTarget } from './git-target/kind.ts'
import { watchRule } from './watch-rule/kind.ts'

/** The schema at a dotted path of spec; `[]` stands for the items of a list. */
function field(kind: AnyKind, path: string): Schema {
  let schema = kind.schema.properties?.spec ?? {}
  for (const step of path.split('.')) {
    const next = step === '[]' ? schema.items : schema.properties?.[step]
    if (!next) throw new Error(`${kind.kind} has no ${path}`)
    schema = next
  }
  return schema
}

function accepts(kind: AnyKind, path: string, text: string) {
  const { pattern = '', minLength = 0, maxLength = Number.POSITIVE_INFINITY } = field(kind, path)
  return text.length >= minLength && text.length <= maxLength && new RegExp(pattern, 'u').test(text)
}

interface Row {
  readonly text: string
  readonly ok: boolean
  readonly because: string
}

describe('url of a GitProvider', () => {
  const rows: Row[] = [
    { text: 'https://git.example/team/state.git', ok: true, because: 'https' },
    { text: 'https://git.example:8443/state', ok: true, because: 'a port' },
    { text: 'https://[::1]:8443/state', ok: true, because: 'an IPv6 address' },
    {
      text: 'ssh://git@git.example:2222/team/state.git',
      ok: true,
      because: 'ssh with user and port',
    },
    { text: 'git@git.example:team/state.git', ok: true, because: 'the short form of ssh' },
    { text: 'file:///srv/state.git', ok: true, because: 'a folder, for tests' },
    { text: 'git://git.example/state', ok: false, because: 'the server is not authenticated' },
    { text: 'ext::sh -c id', ok: false, because: 'Git would run a program' },
    { text: 'ssh://-oProxyCommand=id/x', ok: false, because: 'the host would be an option of ssh' },
    { text: '-oProxyCommand=id@host:x', ok: false, because: 'the user would be an option of ssh' },
    { text: 'file://host/srv', ok: false, because: 'a file URL has no host' },
    { text: '/srv/state.git', ok: false, because: 'a path is not a URL' },
    { text: 'https://git.example/a b', ok: false, because: 'a URL contains no blanks' },
    { text: 'https://git.example/a\nb', ok: false, because: 'a URL contains no line breaks' },
    { text: 'https://', ok: false, because: 'the host is missing' },
    { text: '', ok: false, because: 'it is required' },
  ]
  test.each(rows)('$text is accepted: $ok, $because', ({ text, ok }) => {
    expect(accepts(gitProvider, 'url', text)).toBe(ok)
  })
})

describe('a branch pattern', () => {
  const rows: Row[] = [
    { text: 'main', ok: true, because: 'a name' },
    { text: 'release/*', ok: true, because: 'any text' },
    { text: 'feature-?', ok: true, because: 'one character' },
    { text: 'v[0-9].*', ok: true, because: 'a range' },
    { text: '[^a-c]x', ok: true, because: 'a negated range' },
    { text: '\\*', ok: true, because: 'a literal star' },
    { text: 'a]b', ok: true, because: 'a lone closing bracket is a character' },
    { text: '[', ok: false, because: 'the bracket is never closed' },
    { text: '[]', ok: false, because: 'nothing is listed' },
    { text: '[a-]', ok: false, because: 'the range has no end' },
    { text: '[-a]', ok: false, because: 'the range has no start' },
    { text: 'a\\', ok: false, because: 'nothing follows the backslash' },
    { text: 'a b', ok: false, because: 'branch names contain no blanks' },
    { text: '', ok: false, because: 'it would match nothing' },
  ]
  test.each(rows)('$text is accepted: $ok, $because', ({ text, ok }) => {
    expect(accepts(gitProvider, 'allowedBranches.[]', text)).toBe(ok)
  })
})

describe('a duration', () => {
  const rows: Row[] = [
    { text: '5s', ok: true, because: 'seconds' },
    { text: '0s', ok: true, because: 'at once' },
    { text: '1m30s', ok: true, because: 'several units' },
    { text: '1.5s', ok: true, because: 'a fraction' },
    { text: '500ms', ok: true, because: 'milliseconds' },
    { text: '5', ok: false, because: 'the unit is missing' },
    { text: '-5s', ok: false, because: 'it is negative' },
    { text: '5 s', ok: false, because: 'it contains a blank' },
    { text: '5d', ok: false, because: 'days are not supported' },
    { text: '', ok: false, because: 'it is empty' },
    { text: `${'9'.repeat(20)}s`, ok: false, because: 'it is too long' },
  ]
  test.each(rows)('$text is accepted: $ok, $because', ({ text, ok }) => {
    expect(accepts(gitProvider, 'push.commitWindow', text)).toBe(ok)
  })
})

describe('a recipient', () => {
  const key = `age1${'q'.repeat(58)}`
  const rows: Row[] = [
    { text: key, ok: true, because: 'it looks like an age public key' },
    { text: key.slice(0, -1), ok: false, because: 'it is truncated' },
    { text: `${key}q`, ok: false, because: 'it is too long' },
    { text: key.toUpperCase(), ok: false, because: 'public keys are in lower case' },
    { text: `age1${'b'.repeat(58)}`, ok: false, because: 'b does not occur in the encoding' },
    { text: 'AGE-SECRET-KEY-1QQQ', ok: false, because: 'a private key must never be put here' },
  ]
  test.each(rows)('$text is accepted: $ok, $because', ({ text, ok }) => {
    expect(accepts(gitTarget, 'encryption.recipients.[]', text)).toBe(ok)
  })
})

describe('a path', () => {
  const rows: Row[] = [
    { text: '.', ok: true, because: 'the root' },
    { text: 'clusters/prod', ok: true, because: 'a folder' },
    { text: 'Größe/ß', ok: true, because: 'folders may have any letters' },
    { text: 'a\\b', ok: false, because: 'a backslash is a separator elsewhere' },
    { text: 'a\u0000b', ok: false, because: 'file systems do not support NUL' },
    { text: 'a\nb', ok: false, because: 'control characters are not allowed' },
    { text: '', ok: false, because: 'the root is written as a dot' },
  ]
  test.each(rows)('$text is accepted: $ok, $because', ({ text, ok }) => {
    expect(accepts(gitTarget, 'path', text)).toBe(ok)
  })
})

describe('a resource', () => {
  const rows: Row[] = [
    { text: 'configmaps', ok: true, because: 'a plural name' },
    { text: '*', ok: true, because: 'all of them' },
    { text: 'pods/status', ok: false, because: 'a subresource is not an object' },
    { text: 'ConfigMap', ok: false, because: 'that is a kind' },
    { text: 'config*', ok: false, because: 'partial names are not supported' },
  ]
  test.each(rows)('$text is accepted: $ok, $because', ({ text, ok }) => {
    expect(accepts(watchRule, 'rules.[].resources.[]', text)).toBe(ok)
  })
})
