import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KubeObject } from '@agents/kube'
import { silentLogger } from '@agents/log'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { MemoryBranch } from '../testing/memory-branch.ts'
import { mirrorLocation, mirrorSettings } from '../testing/mirror-setup.ts'
import { stoppedClock } from '../testing/stopped-clock.ts'
import { Mirrors } from './mirrors.ts'
import type { StreamPool } from './stream/stream-pool.ts'

const key = 'team/mirror'
const path = 'cluster/team/core/configmaps/a.yaml'
const edited =
  'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: team\ndata:\n  by: hand\n'

let stateDir: string
let branch: MemoryBranch
let mirrors: Mirrors

beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'agents-mirrors-'))
  branch = new MemoryBranch()
  const object: KubeObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'team', name: 'a' },
  }
  const stream = {
    ...{ state: { kind: 'live' }, hasSynced: true },
    objects: () => [object],
    get: () => object,
  }
  const pool = { acquire: () => ({ key: 'configmaps', stream, release: () => undefined }) }
  mirrors = new Mirrors({
    pool: pool as unknown as StreamPool,
    ...{ writers: branch.writers, clock: stoppedClock(), log: silentLogger, stateDir },
  })
})
afterEach(async () => {
  await mirrors.stopAll(0)
  await rm(stateDir, { recursive: true, force: true })
})

type Recorded = Parameters<Mirrors['ensure']>[3]

function ensure(
  onDrift: 'Correct' | 'Report',
  recorded?: Recorded,
  folder = 'cluster',
): Promise<void> {
  return mirrors.ensure(
    key,
    mirrorLocation(folder),
    mirrorSettings({ onDrift, revision: onDrift }),
    recorded,
  )
}

/** The kind of the snapshot when nothing more is due. */
async function outcome(): Promise<string | undefined> {
  await expect.poll(() => mirrors.state(key)?.isSyncing).toBe(false)
  return mirrors.state(key)?.snapshot.kind
}

/** A mirror whose file is in the branch. */
async function inSync(onDrift: 'Correct' | 'Report'): Promise<void> {
  await ensure(onDrift)
  expect(await outcome()).toBe('completed')
  expect(branch.written).toContain(path)
  branch.written.length = 0
}

async function expectReported(): Promise<void> {
  expect(await outcome()).toBe('drifted')
  expect(mirrors.state(key)?.driftedFiles).toBe(1)
  expect(branch.written).toEqual([])
  expect(branch.files.get(path)).toBe(edited)
}

async function expectCorrected(): Promise<void> {
  expect(await outcome()).toBe('completed')
  expect(branch.files.get(path)).not.toBe(edited)
}

/** What the status has of an earlier process whose mirror had reported drift. */
const recorded: Recorded = { hasCompared: true, commits: [], hasDrifted: true, deletions: [] }

describe('a hand edit', () => {
  test.each<[string, () => Promise<void>]>([
    [
      'that was reported before the mirror was stopped',
      async () => {
        branch.push(path, edited)
        branch.replaceWorker()
        await outcome()
        await mirrors.stop(key, 0)
      },
    ],
    [
      'that was pushed while there was no mirror',
      async () => {
        await mirrors.stop(key, 0)
        branch.push(path, edited)
      },
    ],
    [
      'that was pushed before the worker was replaced',
      async () => {
        branch.push(path, edited)
        branch.replaceWorker()
      },
    ],
    [
      'that two mirrors have reported',
      async () => {
        await mirrors.stop(key, 0)
        branch.push(path, edited)
        await ensure('Report')
        await outcome()
        await mirrors.stop(key, 0)
      },
    ],
  ])(
    '%s is not overwritten by the next comparison, and corrected on request',
    async (_, happen) => {
      await inSync('Report')
      await happen()
      await ensure('Report')
      await expectReported()
      await mirrors.stop(key, 0)
      await ensure('Correct')
      await expectCorrected()
    },
  )

  test('that is pushed while there is no mirror is corrected by one that corrects', async () => {
    await inSync('Correct')
    await mirrors.stop(key, 0)
    branch.push(path, edited)
    await ensure('Correct')
    await expectCorrected()
  })

  test('that an earlier process reported is kept, also if the first mirror cannot be started', async () => {
    branch.push(path, edited)
    branch.refusal = new Error('the signing key is invalid')
    await expect(ensure('Report', recorded)).rejects.toThrow('signing key')
    branch.refusal = undefined
    branch.outage = new Error('no response')
    await ensure('Report', recorded)
    await expect.poll(() => mirrors.state(key)?.opening.kind).toBe('failed')
    await mirrors.stop(key, 0)
    branch.outage = undefined
    await ensure('Report', recorded)
    await expectReported()
  })
})

describe('a mirror without a predecessor', () => {
  test('writes its files, although the branch has moved since another target used it', async () => {
    await inSync('Report')
    await mirrors.forget(key)
    branch.push(path, edited)
    await ensure('Report')
    await expectCorrected()
  })

  test('writes its files to a new location, although drift was reported at the old one', async () => {
    await inSync('Report')
    branch.push(path, edited)
    branch.replaceWorker()
    await expectReported()
    await ensure('Report', recorded, 'other')
    expect(await outcome()).toBe('completed')
    expect(branch.written).toContain('other/team/core/configmaps/a.yaml')
    await ensure('Report', recorded)
    expect(await outcome(), 'the old location is as it was').toBe('drifted')
  })
})
