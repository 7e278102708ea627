import { chmod, mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigMapKind, PersistentVolumeClaimKind, type Pod, PodKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unavailable } from './mount-modes.ts'
import {
  inDefault,
  logOf,
  type Platform,
  podOf,
  runPod,
  startPlatform,
  untilObject,
} from './platform.ts'

const agent = { runAsUser: 65_532, runAsGroup: 65_532, fsGroup: 65_532, runAsNonRoot: true }

interface Attack {
  readonly script: string
  readonly volumes?: object[]
  readonly mounts?: object[]
  readonly user?: Record<string, unknown>
  readonly more?: object
}

describe.skipIf(unavailable('namespace') !== undefined)('a pod of a platform that is root', () => {
  let platform: Platform
  let outside: string
  let claim: string
  beforeAll(async () => {
    platform = await startPlatform({ mounts: 'namespace' })
    const { client, stateDir } = platform
    outside = await realpath(await mkdtemp(join(tmpdir(), 'agents-outside-')))
    await client.create(ConfigMapKind, { metadata: inDefault('files'), data: { file: 'mounted' } })
    const { metadata } = await client.create(PersistentVolumeClaimKind, {
      metadata: inDefault('data'),
      spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '1Gi' } } },
    })
    claim = join(stateDir, 'claims', metadata.uid ?? '')
  })
  afterAll(async () => {
    await platform.stop()
    await rm(outside, { recursive: true, force: true })
  })

  const podFor = (name: string, { script, volumes = [], mounts = [], user, more }: Attack) => ({
    name,
    securityContext: user ?? agent,
    volumes: [
      { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
      { name: 'empty', emptyDir: {} },
      { name: 'files', configMap: { name: 'files' } },
      ...volumes,
    ] as Pod['spec']['volumes'] & object,
    containers: [
      {
        name: 'main',
        image: 'local',
        command: ['/bin/sh', '-c', script],
        volumeMounts: mounts as never,
        ...more,
      },
    ],
  })
  const output = async (name: string, attack: Attack): Promise<string> => {
    await runPod(platform.client, podFor(name, attack))
    return logOf(platform.client, name)
  }
  /** What it is held for; what it says if it runs. */
  const refusal = async (name: string, attack: Attack): Promise<unknown> => {
    const { client } = platform
    await client.create(PodKind, podOf(podFor(name, attack)))
    const { status } = await untilObject(client, PodKind, inDefault(name), (pod) => {
      const state = pod.status?.containerStatuses?.[0]?.state
      return state?.waiting?.message !== undefined || state?.terminated !== undefined
    })
    const waiting = status?.containerStatuses?.[0]?.state?.waiting
    return waiting ?? logOf(client, name)
  }

  test('runs pods as users of their own', () => expect(platform.node.ownUsers).toBe(true))

  test('stays its user when a mount hides the state folder', async () => {
    const mounts = [{ name: 'empty', mountPath: tmpdir() }]
    const script = `id -u; ls -A ${tmpdir()}; grep NoNewPrivs /proc/self/status`
    expect(await output('hides', { script, mounts })).toBe('65532\nNoNewPrivs:\t1\n')
  })

  test('has no say in how programs of root are loaded', async () => {
    const mounts = [{ name: 'data', mountPath: '/data' }]
    const script = 'stat -c %u /data/loaded.* | sort -u; echo "$LD_DEBUG_OUTPUT"; rm /data/loaded.*'
    // The loader of each program writes a file before the program begins, so its owner shows as whom it was loaded.
    const env = [
      { name: 'LD_DEBUG', value: 'libs' },
      { name: 'LD_DEBUG_OUTPUT', value: '/data/loaded' },
    ]
    expect(await output('loader', { script, mounts, more: { env } })).toBe('65532\n/data/loaded\n')
  })

  test.each([
    '/usr/bin',
    '/bin',
    '/usr/lib/x',
    '/lib64',
    '/etc',
    '/etc/ld.so.preload',
    '/proc/1',
    '/sys',
  ])('mounts nothing at %s', async (mountPath) => {
    const name = `at${mountPath.replaceAll(/[/.]/g, '-')}`
    const file = mountPath.startsWith('/etc/') && { name: 'files', subPath: 'file' }
    const mounts = [{ name: 'data', mountPath, ...file }]
    expect(await refusal(name, { script: 'id', mounts })).toMatchObject({
      reason: 'CreateContainerConfigError',
      message: expect.stringContaining('a system folder of the machine'),
    })
  })

  test('is no user and in no group of the machine', async () => {
    const user = { runAsUser: 1, runAsGroup: 42, fsGroup: 42, supplementalGroups: [42, 4, 65_533] }
    const script = 'id -u; id -G; head -c 1 /etc/shadow >/dev/null 2>&1 && echo read it'
    expect(await output('groups', { script, user })).toBe('65532\n65532\n')
  })

  test('gets no file made by way of a link in its volume', async () => {
    const target = join(outside, 'made')
    await mkdir(claim, { recursive: true })
    await symlink(target, join(claim, 'link'))
    const mounts = [
      { name: 'data', mountPath: '/data' },
      { name: 'files', mountPath: '/data/link', subPath: 'file' },
    ]
    expect(await refusal('link', { script: 'id', mounts })).toMatchObject({
      message: expect.stringContaining('is not a file'),
    })
    expect(await readdir(outside)).toEqual([])
  })

  test('gets no working directory made by way of a link in its volume', async () => {
    await mkdir(claim, { recursive: true })
    await symlink(outside, join(claim, 'folder'))
    const mounts = [{ name: 'data', mountPath: '/data' }]
    await output('cwd', { script: 'pwd', mounts, more: { workingDir: '/data/folder/made' } })
    expect(await readdir(outside)).toEqual([])
  })

  test('sees nothing of a closed folder in which it mounts a volume', async () => {
    const closed = join(outside, 'closed')
    await mkdir(closed, { mode: 0o700 })
    await writeFile(join(closed, 'open'), 'seen', { mode: 0o644 })
    await chmod(outside, 0o755)
    const mounts = [{ name: 'empty', mountPath: join(closed, 'point') }]
    const script = `cat ${closed}/open 2>/dev/null || echo closed`
    expect(await output('closed', { script, mounts })).toBe('closed\n')
    await rm(closed, { recursive: true })
  })

  test('works in a folder that the machine does not have', async () => {
    expect(await output('new-folder', { script: 'pwd', more: { workingDir: '/app/x' } })).toBe(
      '/app/x\n',
    )
  })
})
