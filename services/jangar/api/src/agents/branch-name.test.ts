import { checkRules, checkStructural, compileRules, type Json, type Schema } from '@agents/crd'
import { describe, expect, test } from 'vitest'
import { agentRunSpec } from './agent-run/spec.ts'
import { versionControlProvider } from './version-control-provider/kind.ts'

function messages(schema: Schema | undefined, value: Json): string[] {
  const rules = compileRules(schema ?? {}, { resourceRoot: false })
  if (rules === undefined) throw new Error('the schema has no rules')
  return rules.validate(value, undefined, { path: 'at' }).map(({ message }) => message)
}

/** The parameters that name branches, with their aliases. */
const keys = [
  ...['head', 'headBranch', 'head_ref', 'headRef'],
  ...['base', 'baseBranch', 'base_ref', 'baseRef'],
]
const parameters = agentRunSpec.properties?.parameters
const defaults = versionControlProvider.schema.properties?.spec?.properties?.defaults

const rows: { name: string; ok: boolean; because: string }[] = [
  { name: 'main', ok: true, because: 'a name' },
  { name: 'feature/a-1', ok: true, because: 'a name with a folder' },
  { name: 'refs', ok: true, because: 'only the folder refs/ is special' },
  { name: 'a@b', ok: true, because: 'an @ within a name' },
  { name: 'größe', ok: true, because: 'any letters' },
  { name: '0123456789abcdef0123456789abcdef01234567', ok: true, because: 'a commit, as a base' },
  { name: 'refs/heads/main', ok: false, because: 'policies would judge another name than main' },
  { name: 'refs/tags/v1', ok: false, because: 'it is no branch' },
  { name: '@', ok: false, because: 'Git expands it to HEAD' },
  { name: 'HEAD', ok: false, because: 'it is not a branch' },
  { name: '@{-1}', ok: false, because: 'Git expands it' },
  { name: 'a@{1}', ok: false, because: 'Git expands it' },
  { name: '-x', ok: false, because: 'it is an option' },
  { name: '.x', ok: false, because: 'a hidden file' },
  { name: 'a/.x', ok: false, because: 'a hidden file in a folder' },
  { name: 'a..b', ok: false, because: 'a range' },
  { name: 'a//b', ok: false, because: 'an empty folder' },
  { name: '/a', ok: false, because: 'an empty folder' },
  { name: 'a/', ok: false, because: 'an empty name' },
  { name: 'a.', ok: false, because: 'Git refuses it' },
  { name: 'a.lock', ok: false, because: 'a lock of Git' },
  { name: 'a.lock/b', ok: false, because: 'a lock of Git' },
  ...[...'~^:?*[\\ \t\n'].map((character) => ({
    name: `a${character}b`,
    ok: false,
    because: 'Git refuses the character',
  })),
]

describe('the name of a branch', () => {
  test.each(rows)('$name as a parameter is accepted: $ok, $because', ({ name, ok }) => {
    for (const key of keys) {
      expect(messages(parameters, { [key]: name }).length === 0, key).toBe(ok)
    }
    expect(messages(parameters, { other: name })).toEqual([])
  })

  test.each(rows)('$name as a default is accepted: $ok, $because', ({ name, ok }) => {
    expect(messages(defaults, { baseBranch: name }).length === 0).toBe(ok)
  })

  test('of a parameter is judged as it is used, without blanks around it', () => {
    expect(messages(parameters, { head: ' main\n' })).toEqual([])
    expect(messages(parameters, { head: ' refs/heads/main' })).not.toEqual([])
    expect(messages(parameters, { head: ' ' })).toEqual([])
  })

  test('is judged within the cost limits of the API server', () => {
    const spec: Schema = { type: 'object', properties: { spec: agentRunSpec } }
    expect(checkStructural(spec, { checkRules })).toEqual([])
    expect(checkStructural(versionControlProvider.schema, { checkRules })).toEqual([])
  })
})
