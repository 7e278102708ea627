import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Pod } from '@agents/kube'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { stateFolder } from '../folder/pod-folder.ts'
import { prepareVolumes, type VolumeContext } from './prepare-volumes.ts'

let path: string

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'agents-volumes-'))
})

afterEach(() => rmSync(path, { recursive: true }))

const pod = {
  metadata: { name: 'pod', uid: 'uid' },
  spec: {
    volumes: [
      { name: 'scratch', emptyDir: {} },
      { name: 'memory', emptyDir: { medium: 'Memory' } },
      { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
    ],
  },
} as unknown as Pod

function prepare(engine: object | undefined, deletion: { deletionTimestamp?: string } = {}) {
  const state = stateFolder(path, undefined)
  const objects = { claim: async () => ({ metadata: { name: 'data', uid: 'claim', ...deletion } }) }
  const claimed = async () => undefined
  const context = { pod, objects, state, engine, folder: state.pod('uid'), claimed }
  return prepareVolumes(pod, context as unknown as VolumeContext)
}

test('a pod does not start with a claim that is being deleted', async () => {
  await expect(prepare(undefined, { deletionTimestamp: '2026-01-01T00:00:00Z' })).rejects.toThrow(
    'persistentvolumeclaim "data" is being deleted',
  )
})

function modes(volumes: Awaited<ReturnType<typeof prepare>>) {
  return [...volumes.values()].map((volume) => statSync(volume.path).mode & 0o777)
}

describe('a writable volume', () => {
  test.each([
    { because: 'commands run as the user of the node', engine: undefined, mode: 0o700 },
    { because: 'images run as any user', engine: {}, mode: 0o777 },
  ])('is accessible to its users: $because', async ({ engine, mode }) => {
    expect(modes(await prepare(engine))).toEqual([mode, mode, mode])
  })

  test('gets its mode from the next attempt if the first one was interrupted', async () => {
    await prepare(undefined)
    expect(modes(await prepare({}))).toEqual([0o777, 0o777, 0o777])
  })

  test('keeps the mode that a container has set', async () => {
    for (const { path: folder } of (await prepare({})).values()) chmodSync(folder, 0o750)
    expect(modes(await prepare({}))).toEqual([0o750, 0o750, 0o750])
  })
})
