import { describe, expect, test } from 'vitest'
import { LinkResolver } from './leaving-link.ts'
import { treesAgainstFileSystem } from './testing/generated-trees.ts'

const outside = 'it is a symbolic link out of the repository'
const unclear = 'it leads through too many symbolic links'

/** What is wrong with the link `z` of a tree. */
function problemOf(target: string, others: Readonly<Record<string, string>> = {}) {
  return new LinkResolver(new Map(Object.entries({ ...others, z: target }))).problemOf('z')
}

describe('a link', () => {
  test.each([
    { target: 'a/b', because: 'it names a file' },
    { target: 'up/c', others: { up: 'a/b' }, because: 'the link on the way stays inside' },
    { target: 'a/../b', because: 'it comes back' },
    { target: 'loop', others: { loop: 'a' }, because: 'it names a link' },
    { target: '.github/x', because: 'only .git is special' },
    { target: '...', because: 'three dots are a name' },
  ])('to $target may stay: $because', ({ target, others }) => {
    expect(problemOf(target, others)).toBeUndefined()
  })

  test.each([
    { target: '/etc/passwd', because: 'it is absolute' },
    { target: '../x', because: 'it leaves at once' },
    { target: 'a/../../x', because: 'it leaves after a folder' },
    {
      target: 'a/b/up/../../etc',
      others: { 'a/b/up': '../..' },
      because: 'the link on the way leads to the root',
    },
    {
      target: 'a/../one/../..',
      others: { one: 'two', two: 'a/b/three', 'a/b/three': '../..' },
      because: 'three links on the way lead to the root',
    },
    { target: 'a', others: { a: '/etc' }, because: 'the link that it names is absolute' },
    { target: 'a/b/../../..', because: 'nothing on the way exists, and may later' },
    {
      target: 'A/up/../../..',
      others: { 'a/UP': '../b/c' },
      because: 'macOS and Windows take it for the other way',
    },
    {
      target: 'up/../x',
      others: { up: 'a/b', UP: '.' },
      because: 'of two links, some systems keep the other one',
    },
    { target: '..\\..\\x', because: 'a backslash separates names on Windows' },
    { target: 'C:\\Windows', because: 'it is absolute on Windows' },
    { target: '.git/config', because: '.git holds the credentials of whoever checks it out' },
    { target: 'a/.GIT/hooks', because: 'some systems ignore case' },
    { target: 'GIT~1/config', because: 'Windows has short names' },
    {
      target: 'g/config',
      others: { g: '.git' },
      because: 'a link on the way leads into .git',
    },
  ])('to $target is refused: $because', ({ target, others }) => {
    expect(problemOf(target, others)).toBe(outside)
  })

  test('to itself leads nowhere', () => {
    expect(problemOf('z')).toBe(unclear)
    expect(problemOf('y', { y: 'z' })).toBe(unclear)
  })

  test('through a chain of links is followed as far as kernels do', () => {
    const chain = (length: number) =>
      Object.fromEntries(Array.from({ length }, (_, at) => [`l${at}`, `l${at + 1}`]))
    expect(problemOf('l0', chain(40))).toBeUndefined()
    expect(problemOf('l0', chain(100))).toBe(unclear)
  })
})

describe('the steps are limited', () => {
  test('where each link doubles the way', () => {
    const links = new Map(
      Array.from({ length: 100 }, (_, at) => [`l${at}`, `l${at + 1}/l${at + 1}`] as const),
    )
    const resolver = new LinkResolver(links)
    expect(resolver.problemOf('l0')).toBe(unclear)
    expect(resolver.steps).toBeLessThan(20_000)
  })

  test('where a path is as long as a target can be', () => {
    const resolver = new LinkResolver(new Map([['z', 'a/'.repeat(2048)]]))
    expect(resolver.problemOf('z')).toBe(unclear)
    expect(resolver.steps).toBeLessThan(20_000)
  })

  test('in a tree with thousands of such links', () => {
    const links = new Map(
      Array.from(
        { length: 5_000 },
        (_, at) => [`l${at}`, `l${(at + 1) % 50}/`.repeat(500)] as const,
      ),
    )
    const resolver = new LinkResolver(links)
    for (const path of links.keys()) expect(resolver.problemOf(path)).toBe(unclear)
    expect(resolver.steps).toBeLessThan(11_000_000)
  })
})

test('generated trees are judged as a file system resolves them', () => {
  const { left, stayed } = treesAgainstFileSystem({ seed: 35, trees: 150 })
  expect(left).toBeGreaterThan(20)
  expect(stayed).toBeGreaterThan(20)
})
