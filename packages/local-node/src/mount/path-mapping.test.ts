import { describe, expect, test } from 'vitest'
import { EscapeError } from '../folder/inside.ts'
import { mapped, ownPath, pathRewriter } from './path-mapping.ts'

describe('a mount makes private to the container', () => {
  test.each([
    { because: 'a folder that is not a system folder', path: '/workspace', own: '/workspace' },
    {
      because: 'the whole folder of a file that is not in a system folder',
      path: '/workspace/run.json',
      own: '/workspace',
    },
    {
      because: 'only the file in a system folder',
      path: '/etc/tool.conf',
      own: '/etc/tool.conf',
    },
    { because: 'only the folder in a home folder', path: '/root/.codex', own: '/root/.codex' },
  ])('$because', ({ path, own }) => {
    expect(ownPath(path)).toBe(own)
  })
})

const mappings = [
  { from: '/workspace', to: '/pod/workspace' },
  { from: '/etc/app', to: '/pod/etc/app' },
  { from: '/workspace/deep', to: '/elsewhere' },
]

describe('paths in commands and variables are rewritten:', () => {
  test.each([
    { because: 'the path itself', text: '/workspace', becomes: '/pod/workspace' },
    { because: 'a path below it', text: '/workspace/a b', becomes: '/pod/workspace/a b' },
    {
      because: 'by the longest matching mapping',
      text: '/workspace/deep/x',
      becomes: '/elsewhere/x',
    },
    { because: 'after an option', text: '--file=/etc/app/x', becomes: '--file=/pod/etc/app/x' },
    {
      because: 'in a list of paths',
      text: '/bin:/workspace/bin',
      becomes: '/bin:/pod/workspace/bin',
    },
    {
      because: 'in a script',
      text: `cat '/workspace/x' > "/etc/app/y"; cd /workspace`,
      becomes: `cat '/pod/workspace/x' > "/pod/etc/app/y"; cd /pod/workspace`,
    },
    {
      because: 'at the end of a sentence',
      text: 'see /workspace.',
      becomes: 'see /pod/workspace.',
    },
    {
      because: 'but not a longer name',
      text: '/workspace2 /workspace.bak /workspace-x',
      becomes: '/workspace2 /workspace.bak /workspace-x',
    },
    { because: 'but not the end of another path', text: '/my/workspace', becomes: '/my/workspace' },
    {
      because: 'but not part of a URL',
      text: 'https://host/workspace/x',
      becomes: 'https://host/workspace/x',
    },
    { because: 'but not twice', text: '/workspace/workspace', becomes: '/pod/workspace/workspace' },
  ])('$because', ({ text, becomes }) => {
    expect(pathRewriter(mappings)(text)).toBe(becomes)
  })

  test('a mapping to a path below itself is applied once', () => {
    const rewrite = pathRewriter([{ from: '/data', to: '/data/state/root/data' }])
    expect(rewrite('/data/x')).toBe('/data/state/root/data/x')
  })

  test('special characters of regular expressions are literal', () => {
    const rewrite = pathRewriter([{ from: '/a.b+c', to: '/to' }])
    expect(rewrite('/a.b+c/x /aXb+c/x')).toBe('/to/x /aXb+c/x')
  })
})

describe('the mapped path', () => {
  test('is below the target of its mapping', () => {
    expect(mapped('/workspace/deep/x', mappings)).toBe('/elsewhere/x')
    expect(mapped('/usr/bin', mappings)).toBeUndefined()
  })

  test('is never above the target', () => {
    expect(() => mapped('/workspace/../../etc', mappings)).toThrow(EscapeError)
  })
})
