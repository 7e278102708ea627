import type { GitProvider, GitTarget } from '@agents/gittarget-api'
import { describe, expect, test } from 'vitest'
import { conflictingTarget, overlaps } from './overlap.ts'

const provider = (url: string): GitProvider =>
  ({ metadata: { name: 'p' }, spec: { url, allowedBranches: ['main'] } }) as unknown as GitProvider

const target = (uid: string, createdAt: string, path: string, branch = 'main'): GitTarget =>
  ({
    metadata: {
      name: uid,
      namespace: 'team',
      uid,
      creationTimestamp: `2026-01-0${createdAt}T00:00:00Z`,
    },
    spec: { path, branch, providerRef: { name: 'p' } },
  }) as unknown as GitTarget

describe('conflictingTarget', () => {
  test.each([
    [
      target('b', '1', 'a'),
      'https://Git.test/x/y.git/',
      true,
      'it is older, whatever the URL looks like',
    ],
    [target('b', '1', 'a/b'), 'https://git.test/x/y', true, 'a folder inside is the same folder'],
    [target('b', '1', '.'), 'git@git.test:x/y', true, 'the root holds everything'],
    [target('b', '1', 'ab'), 'https://git.test/x/y', false, 'names may begin alike'],
    [target('b', '1', 'a', 'other'), 'https://git.test/x/y', false, 'it is on another branch'],
    [target('b', '1', 'a'), 'https://git.test/x/z', false, 'it is in another repository'],
    [target('b', '3', 'a'), 'https://git.test/x/y', false, 'it is younger'],
    [target('0', '2', 'a'), 'https://git.test/x/y', true, 'of two of an age the smaller uid wins'],
    [target('c', '2', 'a'), 'https://git.test/x/y', false, 'and the other one loses'],
    [target('b', '1', 'git~1'), 'https://git.test/x/y', false, 'nobody can own such a folder'],
    [target('b', '1', 'a'), 'https://git.test/x/y?z', false, 'such a repository is none'],
    [target('b', '1', 'a', 'dev'), 'https://git.test/x/y', false, 'who may not write owns nothing'],
  ])('%#: %s', (other, url, conflicts, because) => {
    const own = target('a', '2', 'a', other.spec.branch === 'dev' ? 'dev' : 'main')
    const found = conflictingTarget(own, provider('https://git.test/x/y'), [own, other], () =>
      provider(url),
    )
    expect(found?.metadata.name, because).toBe(conflicts ? other.metadata.name : undefined)
  })
})

test('a target whose provider is being replaced keeps its path', () => {
  const older = target('a', '1', 'a')
  const younger = target('b', '2', 'a')
  const here = provider('https://git.test/x/y')
  const winner = (waitingIn: string | undefined) =>
    conflictingTarget(
      younger,
      here,
      [older, younger],
      (one) => (one === older ? undefined : here),
      (one) => (one === older ? waitingIn : undefined),
    )?.metadata.name
  expect(winner('git.test/x/y'), 'it waits for its provider').toBe('a')
  expect(winner('git.test/x/z'), 'it waits elsewhere').toBeUndefined()
  expect(winner(undefined), 'it waits no longer').toBeUndefined()
})

test('a target that lost its path is in the way of nobody', () => {
  const oldest = target('a', '1', 'a')
  const root = target('b', '2', '.')
  const inside = target('c', '3', 'a/b')
  const beside = target('d', '4', 'b')
  const all = [beside, inside, root, oldest]
  const here = provider('https://git.test/x/y')
  const winnerOf = (one: GitTarget) => conflictingTarget(one, here, all, () => here)?.metadata.name
  expect(all.map(winnerOf)).toEqual([undefined, 'a', 'a', undefined])
})

test('folders overlap whichever is named first', () => {
  expect(overlaps('a/b', 'a')).toBe(true)
  expect(overlaps('a', 'a/b')).toBe(true)
  expect(overlaps('a/b', 'a/c')).toBe(false)
})

test('folders overlap that are one on Windows or macOS', () => {
  expect(overlaps('Prod/a', 'prod')).toBe(true)
  expect(overlaps('caf\u00e9', 'cafe\u0301')).toBe(true)
  expect(overlaps('Prod', 'prod-2')).toBe(false)
})
