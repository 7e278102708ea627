import type { GitProvider, GitTarget } from '@agents/gittarget-api'
import { describe, expect, test } from 'vitest'
import {
  allowsBranch,
  conflictingTarget,
  describeTarget,
  overlappingTargets,
  overlaps,
  repositoryOf,
} from './overlap.ts'

function provider(url: string): GitProvider {
  return {
    metadata: { name: 'p' },
    spec: { url, allowedBranches: ['main'] },
  } as unknown as GitProvider
}

function target(uid: string, createdAt: string, path: string, branch = 'main'): GitTarget {
  return {
    metadata: {
      name: uid,
      namespace: 'team',
      uid,
      creationTimestamp: `2026-01-0${createdAt}T00:00:00Z`,
    },
    spec: { path, branch, providerRef: { name: 'p' } },
  } as unknown as GitTarget
}

const here = provider('https://git.test/x/y')

function winnerAmong(
  own: GitTarget,
  all: readonly GitTarget[],
  providerOf: (target: GitTarget) => GitProvider,
  holdsClaim: (target: GitTarget) => boolean = () => true,
): GitTarget | undefined {
  const repository = repositoryOf(here) ?? ''
  const rivals = overlappingTargets(own, repository, all, (one) => {
    const its = providerOf(one)
    return allowsBranch(its, one.spec.branch) ? repositoryOf(its) : undefined
  })
  return conflictingTarget(own, rivals, holdsClaim)
}

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
    const found = winnerAmong(own, [own, other], () => provider(url))
    expect(found?.metadata.name, because).toBe(conflicts ? other.metadata.name : undefined)
  })
})

test('a target that has not proven write access owns nothing', () => {
  const older = target('a', '1', 'a')
  const own = target('b', '2', 'a/b')
  const winner = (holds: boolean) =>
    winnerAmong(
      own,
      [older, own],
      () => here,
      () => holds,
    )
  expect(winner(true)?.metadata.name).toBe('a')
  expect(winner(false)).toBeUndefined()
})

test('a target of another namespace is not named', () => {
  const one = target('a', '1', 'secret/path')
  const stranger = { ...one, metadata: { ...one.metadata, namespace: 'other' } }
  expect(describeTarget(one, target('b', '2', 'a'))).toBe('GitTarget a (path secret/path)')
  expect(describeTarget(stranger, target('b', '2', 'a'))).toBe('GitTarget in another namespace')
})

test('a target that lost its path blocks no other target', () => {
  const oldest = target('a', '1', 'a')
  const root = target('b', '2', '.')
  const inside = target('c', '3', 'a/b')
  const beside = target('d', '4', 'b')
  const all = [beside, inside, root, oldest]
  const winnerOf = (one: GitTarget) => winnerAmong(one, all, () => here)?.metadata.name
  expect(all.map(winnerOf)).toEqual([undefined, 'a', 'a', undefined])
})

test('the overlap of folders is symmetric', () => {
  expect(overlaps('a/b', 'a')).toBe(true)
  expect(overlaps('a', 'a/b')).toBe(true)
  expect(overlaps('a/b', 'a/c')).toBe(false)
})

test('folders overlap if they are the same on Windows or macOS', () => {
  expect(overlaps('Prod/a', 'prod')).toBe(true)
  expect(overlaps('caf\u00e9', 'cafe\u0301')).toBe(true)
  expect(overlaps('Prod', 'prod-2')).toBe(false)
})
