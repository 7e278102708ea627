import { describe, expect, test } from 'vitest'
import { EscapeError } from '../folder/inside.ts'
import { mapped, ownPath, pathRewriter } from './path-mapping.ts'

describe('what a mount makes the container’s own', () => {
  test.each([
    { because: 'a folder of no system', path: '/workspace', own: '/workspace' },
    {
      because: 'all of a folder in which it has one file',
      path: '/workspace/run.json',
      own: '/workspace',
    },
    {
      because: 'only the file in a folder of the system',
      path: '/etc/tool.conf',
      own: '/etc/tool.conf',
    },
    { because: 'only the folder in a home', path: '/root/.codex', own: '/root/.codex' },
  ])('$because', ({ path, own }) => {
    expect(ownPath(path)).toBe(own)
  })
})

const mappings = [
  { from: '/workspace', to: '/pod/workspace' },
  { from: '/etc/app', to: '/pod/etc/app' },
  { from: '/workspace/deep', to: '/elsewhere' },
]

describe('paths in what a container is given', () => {
  test.each([
    { because: 'the path itself', text: '/workspace', becomes: '/pod/workspace' },
    { because: 'what lies below', text: '/workspace/a b', becomes: '/pod/workspace/a b' },
    { because: 'the longest that fits', text: '/workspace/deep/x', becomes: '/elsewhere/x' },
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
    { because: 'nor the end of another path', text: '/my/workspace', becomes: '/my/workspace' },
    {
      because: 'nor part of an address',
      text: 'https://host/workspace/x',
      becomes: 'https://host/workspace/x',
    },
    { because: 'nor twice', text: '/workspace/workspace', becomes: '/pod/workspace/workspace' },
  ])('$because', ({ text, becomes }) => {
    expect(pathRewriter(mappings)(text)).toBe(becomes)
  })

  test('a mapping to a place below its own name is applied once', () => {
    const rewrite = pathRewriter([{ from: '/data', to: '/data/state/root/data' }])
    expect(rewrite('/data/x')).toBe('/data/state/root/data/x')
  })

  test('names with signs of patterns are taken as they are', () => {
    const rewrite = pathRewriter([{ from: '/a.b+c', to: '/to' }])
    expect(rewrite('/a.b+c/x /aXb+c/x')).toBe('/to/x /aXb+c/x')
  })
})

describe('the place of a path', () => {
  test('is below what it belongs to', () => {
    expect(mapped('/workspace/deep/x', mappings)).toBe('/elsewhere/x')
    expect(mapped('/usr/bin', mappings)).toBeUndefined()
  })

  test('is never above it', () => {
    expect(() => mapped('/workspace/../../etc', mappings)).toThrow(EscapeError)
  })
})
