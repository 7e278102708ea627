import { describe, expect, test } from 'vitest'
import { identityKey } from '../../document/identity.ts'
import { DriftedFiles } from './drifted-files.ts'

function placed(name: string) {
  const identity = { group: '', kind: 'ConfigMap', namespace: 'team', name }
  return { identity, path: `cluster/${name}.yaml` }
}

interface Case {
  readonly differing: readonly string[]
  /** Objects that changed in the cluster. */
  readonly own?: readonly string[]
  readonly isForeign?: boolean
  readonly onDrift?: 'Correct' | 'Report'
}

function compare(
  drifted: DriftedFiles,
  { differing, own = [], isForeign = false, onDrift = 'Report' }: Case,
): string[] {
  const keys = new Set(own.map((name) => identityKey(placed(name).identity)))
  const written = drifted.compared({
    differing: differing.map(placed),
    isOwnChange: (key) => keys.has(key),
    isForeign,
    commit: 'tip',
    onDrift,
  })
  return written.map(({ identity }) => identity.name)
}

describe('DriftedFiles', () => {
  test('reports changes in Git, and writes objects that changed in the cluster', () => {
    const drifted = new DriftedFiles(() => false)
    const found = { differing: ['a', 'b'], own: ['b'], isForeign: true }
    expect(compare(drifted, found)).toEqual(['b'])
    expect(drifted.describe('Report')).toMatch(/^cluster\/a\.yaml differs .*spec\.onDrift/)
    expect(compare(drifted, { differing: ['a', 'c'] }), 'c is new').toEqual(['c'])
    expect(compare(drifted, { differing: [] })).toEqual([])
    expect(drifted.count).toBe(0)
    expect(compare(drifted, { differing: ['a'] }), 'the change was reverted meanwhile').toEqual([
      'a',
    ])
  })

  test('writes everything if drift is corrected, and reports it until then', () => {
    const drifted = new DriftedFiles(() => true)
    const found = { differing: ['a', 'b'], isForeign: true, onDrift: 'Correct' } as const
    expect(compare(drifted, found)).toEqual(['a', 'b'])
    expect(drifted.describe('Correct')).toContain('2 files, including cluster/a.yaml, differ')
    drifted.settle(['a', 'b'].map(placed))
    expect(drifted.describe('Correct')).toBeUndefined()
  })

  test('treats differences of the first comparison as drift if the branch had moved', () => {
    const drifted = new DriftedFiles((commit) => commit === 'tip')
    expect(compare(drifted, { differing: ['a'] })).toEqual([])
    expect(compare(drifted, { differing: ['a', 'b'] }), 'b differs since').toEqual(['b'])
    const quiet = new DriftedFiles(() => false)
    expect(compare(quiet, { differing: ['a'] })).toEqual(['a'])
  })
})
