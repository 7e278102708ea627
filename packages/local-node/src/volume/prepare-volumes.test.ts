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

const prepare = (engine: object | undefined) => {
  const state = stateFolder(path, undefined)
  const objects = { claim: async () => ({ metadata: { name: 'data', uid: 'claim' } }) }
  const claimed = async () => undefined
  const context = { pod, objects, state, engine, folder: state.pod('uid'), claimed }
  return prepareVolumes(pod, context as unknown as VolumeContext)
}

const modes = (volumes: Awaited<ReturnType<typeof prepare>>) =>
  [...volumes.values()].map((volume) => statSync(volume.path).mode & 0o777)

describe('a volume that containers write', () => {
  test.each([
    { because: 'commands run as ourselves', engine: undefined, mode: 0o700 },
    { because: 'images run as whomever they name', engine: {}, mode: 0o777 },
  ])('is open to those who need it: $because', async ({ engine, mode }) => {
    expect(modes(await prepare(engine))).toEqual([mode, mode, mode])
  })

  test('is opened by the next try where the first one ended before that', async () => {
    await prepare(undefined)
    expect(modes(await prepare({}))).toEqual([0o777, 0o777, 0o777])
  })

  test('stays as a container has made it, whoever uses it next', async () => {
    for (const { path: folder } of (await prepare({})).values()) chmodSync(folder, 0o750)
    expect(modes(await prepare({}))).toEqual([0o750, 0o750, 0o750])
  })
})
