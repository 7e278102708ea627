import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { absolutePath, EscapeError, insideOf, isInside, makeInside, segmentsOf } from './inside.ts'

describe('a relative path', () => {
  test.each([
    { because: 'is split into segments', path: 'a/b', segments: ['a', 'b'] },
    { because: 'may contain redundant dots and slashes', path: './a//b/', segments: ['a', 'b'] },
    { because: 'may contain dots in names', path: '..a/b..', segments: ['..a', 'b..'] },
    { because: 'may not go up', path: 'a/../b', segments: undefined },
    { because: 'may not be absolute', path: '/a', segments: undefined },
    { because: 'may not contain a NUL byte', path: 'a\0b', segments: undefined },
  ])('$because', ({ path, segments }) => {
    if (segments === undefined) expect(() => segmentsOf(path)).toThrow(EscapeError)
    else expect(segmentsOf(path)).toEqual(segments)
  })
})

test('an absolute path never leaves the root', () => {
  expect(absolutePath('/../../tmp/x/')).toBe('/tmp/x')
  expect(absolutePath('a/./b')).toBe('/a/b')
  const piece = fc.constantFrom('..', '.', 'a', '', 'b c')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const path = absolutePath(pieces.join('/'))
      expect(path.startsWith('/')).toBe(true)
      expect(path.split('/')).not.toContain('..')
      expect(isInside('/base', `/base${path}`)).toBe(true)
    }),
  )
})

test.each([
  { because: 'itself', path: '/a', inside: true },
  { because: 'below', path: '/a/b', inside: true },
  { because: 'a name that starts with dots', path: '/a/..b', inside: true },
  { because: 'above', path: '/', inside: false },
  { because: 'a longer name', path: '/ab', inside: false },
])('inside /a: $because', ({ path, inside }) => {
  expect(isInside('/a', path)).toBe(inside)
})

describe('on the disk', () => {
  let folder: string
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'inside-')))
    await mkdir(join(folder, 'volume'))
    await mkdir(join(folder, 'outside'))
    await mkdir(join(folder, 'other'))
    await symlink(join(folder, 'outside'), join(folder, 'volume', 'out'))
    await symlink(join(folder, 'other'), join(folder, 'volume', 'friend'))
    await symlink('..', join(folder, 'volume', 'up'))
    await writeFile(join(folder, 'volume', 'file'), '')
  })
  afterEach(() => rm(folder, { recursive: true }))

  test.each([
    { because: 'missing folders are created', segments: ['a', 'b'], at: 'volume/a/b' },
    {
      because: 'a link into an allowed folder is followed',
      segments: ['friend', 'x'],
      at: 'other/x',
    },
    {
      because: 'a link out of the allowed folders is not followed',
      segments: ['out', 'x'],
      at: undefined,
    },
    {
      because: 'a link to a parent folder is not followed',
      segments: ['up', 'outside', 'x'],
      at: undefined,
    },
    {
      because: 'a path must not end at a link out of the allowed folders',
      segments: ['out'],
      at: undefined,
    },
  ])('$because', async ({ segments, at }) => {
    const allowed = [join(folder, 'volume'), join(folder, 'other')]
    const made = makeInside(join(folder, 'volume'), segments, allowed)
    if (at === undefined) await expect(made).rejects.toThrow(EscapeError)
    else expect(await made).toBe(join(folder, at))
    expect(await readdir(join(folder, 'outside'))).toEqual([])
  })

  test('the resolved path is checked', async () => {
    const allowed = [join(folder, 'volume')]
    expect(await insideOf(join(folder, 'volume', 'file'), allowed)).toBe(
      join(folder, 'volume', 'file'),
    )
    await expect(insideOf(join(folder, 'volume', 'out'), allowed)).rejects.toThrow(EscapeError)
  })
})
