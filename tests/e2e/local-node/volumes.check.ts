import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  ConfigMapKind,
  PersistentVolumeClaimKind,
  PersistentVolumeKind,
  type Pod,
  PodKind,
  SecretKind,
} from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mountModes, unavailable } from './mount-modes.ts'
import {
  inDefault,
  logOf,
  type Platform,
  podOf,
  runPod,
  startPlatform,
  untilGone,
  untilObject,
} from './platform.ts'

describe.each(mountModes)('volumes by %s', (mode) => {
  const reason = unavailable(mode)
  if (reason !== undefined) {
    test.skip(reason)
    return
  }

  let platform: Platform
  beforeAll(async () => {
    platform = await startPlatform({ mounts: mode })
    const { client } = platform
    await client.create(ConfigMapKind, {
      metadata: inDefault('settings'),
      data: { 'app.conf': 'colour=blue', other: 'x' },
      binaryData: { raw: Buffer.from([1, 2, 3]).toString('base64') },
    })
    await client.create(SecretKind, {
      metadata: inDefault('password'),
      stringData: { token: 'hush', note: 'more' },
    })
    await client.create(PersistentVolumeClaimKind, {
      metadata: inDefault('data'),
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    })
  })
  afterAll(() => platform.stop())

  const output = async (
    name: string,
    script: string,
    volumes: Pod['spec']['volumes'],
    volumeMounts: object[],
    more: object = {},
  ): Promise<string> => {
    const container = {
      name: 'main',
      image: 'local',
      command: ['sh', '-c', script],
      volumeMounts: volumeMounts as never,
      ...more,
    }
    await runPod(platform.client, { name, containers: [container], volumes: volumes ?? [] })
    return logOf(platform.client, name)
  }

  test('runs in the requested mode', () => expect(platform.node.mounts).toBe(mode))

  test.each([
    {
      because: 'a ConfigMap is a folder of its keys',
      name: 'config',
      script: 'ls /etc/app; cat /etc/app/app.conf',
      volumes: [{ name: 'v', configMap: { name: 'settings' } }],
      mounts: [{ name: 'v', mountPath: '/etc/app' }],
      expectedOutput: 'app.conf\nother\nraw\ncolour=blue',
    },
    {
      because: 'items choose keys, paths and modes',
      name: 'items',
      script: 'cd /config; find . -type f | sort; stat -L -c %a deep/er.conf',
      volumes: [
        {
          name: 'v',
          configMap: {
            name: 'settings',
            items: [{ key: 'app.conf', path: 'deep/er.conf', mode: 0o440 }],
          },
        },
      ],
      mounts: [{ name: 'v', mountPath: '/config' }],
      expectedOutput: './deep/er.conf\n440\n',
    },
    {
      because: 'a sub-path mounts one file, among those of another volume',
      name: 'subpath',
      script: 'cat /workspace/run.json; echo; echo made > /workspace/new; cat /workspace/new',
      volumes: [
        { name: 'v', configMap: { name: 'settings' } },
        { name: 'w', emptyDir: {} },
      ],
      mounts: [
        { name: 'v', mountPath: '/workspace/run.json', subPath: 'app.conf' },
        { name: 'w', mountPath: '/workspace' },
      ],
      expectedOutput: 'colour=blue\nmade\n',
    },
    {
      because: 'a mounted file makes its top-level folder private to the container',
      name: 'own-top',
      script: 'cat /workspace/run.json; mkdir -p /workspace/.agent; ls -A /workspace',
      volumes: [{ name: 'v', configMap: { name: 'settings' } }],
      mounts: [{ name: 'v', mountPath: '/workspace/run.json', subPath: 'app.conf' }],
      expectedOutput: 'colour=blue.agent\nrun.json\n',
    },
    {
      because: 'a Secret is readable by its owner only, whatever mode was requested',
      name: 'secret',
      script: 'cat /secrets/token; echo; stat -L -c %a /secrets/token',
      volumes: [{ name: 'v', secret: { secretName: 'password', defaultMode: 0o644 } }],
      mounts: [{ name: 'v', mountPath: '/secrets' }],
      expectedOutput: 'hush\n600\n',
    },
    {
      because: 'the downward API exposes fields of the pod',
      name: 'downward',
      script: 'cat /info/name /info/ns',
      volumes: [
        {
          name: 'v',
          downwardAPI: {
            items: [
              { path: 'name', fieldRef: { fieldPath: 'metadata.name' } },
              { path: 'ns', fieldRef: { fieldPath: 'metadata.namespace' } },
            ],
          },
        },
      ],
      mounts: [{ name: 'v', mountPath: '/info' }],
      expectedOutput: 'downwarddefault',
    },
    {
      because: 'a projected volume gathers several sources',
      name: 'projected',
      script: 'cd /all; cat app.conf token; test -s sa && echo " token"',
      volumes: [
        {
          name: 'v',
          projected: {
            sources: [
              { configMap: { name: 'settings', items: [{ key: 'app.conf', path: 'app.conf' }] } },
              { secret: { name: 'password', items: [{ key: 'token', path: 'token' }] } },
              { serviceAccountToken: { path: 'sa', expirationSeconds: 600 } },
            ],
          },
        },
      ],
      mounts: [{ name: 'v', mountPath: '/all' }],
      expectedOutput: 'colour=bluehush token\n',
    },
    {
      because: 'an optional source may be missing',
      name: 'optional',
      script: 'ls -A /none | wc -l | tr -d " "',
      volumes: [{ name: 'v', configMap: { name: 'nowhere', optional: true } }],
      mounts: [{ name: 'v', mountPath: '/none' }],
      expectedOutput: '0\n',
    },
    {
      because: 'a sub-path of a writable volume is created',
      name: 'made',
      script: 'echo x > /a/file; ls /b/deep/er',
      volumes: [{ name: 'v', emptyDir: {} }],
      mounts: [
        { name: 'v', mountPath: '/a', subPath: 'deep/er' },
        { name: 'v', mountPath: '/b' },
      ],
      expectedOutput: 'file\n',
    },
    {
      because: 'a working directory can be in a volume',
      name: 'cwd',
      script: 'cat app.conf',
      volumes: [{ name: 'v', configMap: { name: 'settings' } }],
      mounts: [{ name: 'v', mountPath: '/conf' }],
      more: { workingDir: '/conf' },
      expectedOutput: 'colour=blue',
    },
    {
      because: 'variables and arguments that contain a mounted path resolve to it',
      name: 'named',
      script: 'cat "$FILE"; cat $(echo "$1" | cut -d= -f2)',
      volumes: [{ name: 'v', configMap: { name: 'settings' } }],
      mounts: [{ name: 'v', mountPath: '/conf' }],
      more: {
        args: ['sh', '--file=/conf/other'],
        env: [{ name: 'FILE', value: '/conf/app.conf' }],
      },
      expectedOutput: 'colour=bluex',
    },
  ])('$because', async ({ name, script, volumes, mounts, more, expectedOutput }) => {
    expect(await output(name, script, volumes, mounts, more)).toBe(expectedOutput)
  })

  test('a claim keeps its data, and is bound', async () => {
    const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }]
    const mounts = [{ name: 'v', mountPath: '/data' }]
    await output('writes', 'echo kept > /data/file', volumes, mounts)
    expect(await output('reads', 'cat /data/file', volumes, mounts)).toBe('kept\n')
    const claim = await platform.client.get(PersistentVolumeClaimKind, inDefault('data'))
    expect(claim.status).toMatchObject({ phase: 'Bound', capacity: { storage: '1Gi' } })
  })

  test('a claim is bound at once, and its volume and data are removed with it', async () => {
    const { client, stateDir } = platform
    const { metadata } = await client.create(PersistentVolumeClaimKind, {
      metadata: inDefault('early'),
      spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '2Gi' } } },
    })
    const name = `pvc-${metadata.uid}`
    const claim = await untilObject(
      client,
      PersistentVolumeClaimKind,
      inDefault('early'),
      ({ status }) => status?.phase === 'Bound',
    )
    expect(claim.spec.volumeName).toBe(name)
    const volume = await client.get(PersistentVolumeKind, { name })
    const folder = join(stateDir, 'claims', metadata.uid ?? '')
    expect(volume).toMatchObject({
      spec: {
        accessModes: ['ReadWriteMany'],
        capacity: { storage: '2Gi' },
        claimRef: { namespace: 'default', name: 'early', uid: metadata.uid },
        hostPath: { path: folder },
        persistentVolumeReclaimPolicy: 'Delete',
      },
      status: { phase: 'Bound' },
    })
    const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'early' } }]
    await output('fills', 'echo data > /v/file', volumes, [{ name: 'v', mountPath: '/v' }])
    expect(await readFile(join(folder, 'file'), 'utf8')).toBe('data\n')
    await client.delete(PodKind, inDefault('fills'))
    await client.delete(PersistentVolumeClaimKind, inDefault('early'))
    await untilGone(client, PersistentVolumeKind, { name })
    expect(await readFile(join(folder, 'file')).catch(({ code }) => code)).toBe('ENOENT')
  })

  test('a volume that names the claim of somebody else does not remove its data', async () => {
    const { client, stateDir } = platform
    const { metadata } = await untilObject(
      client,
      PersistentVolumeClaimKind,
      inDefault('data'),
      ({ status }) => status?.phase === 'Bound',
    )
    const folder = join(stateDir, 'claims', metadata.uid ?? '')
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'precious'), '')
    const { spec } = await client.get(PersistentVolumeKind, { name: `pvc-${metadata.uid}` })
    const claimRef = { namespace: 'default', name: 'missing', uid: metadata.uid ?? '' }
    const annotations = { 'pv.kubernetes.io/provisioned-by': 'local-node' }
    await client.create(PersistentVolumeKind, {
      metadata: { name: 'forged', annotations },
      spec: { ...spec, claimRef },
    })
    // A later claim comes and goes: by then the forged volume has been reconciled.
    await client.create(PersistentVolumeClaimKind, {
      metadata: inDefault('later'),
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    })
    const later = await untilObject(
      client,
      PersistentVolumeClaimKind,
      inDefault('later'),
      ({ status }) => status?.phase === 'Bound',
    )
    await client.delete(PersistentVolumeClaimKind, inDefault('later'))
    const name = `pvc-${later.metadata.uid}`
    await untilGone(client, PersistentVolumeKind, { name })
    expect(await readFile(join(folder, 'precious'), 'utf8')).toBe('')
    await client.delete(PersistentVolumeKind, { name: 'forged' })
  })

  test('a pod waits for a ConfigMap that is created later', async () => {
    const { client } = platform
    await client.create(
      PodKind,
      podOf({
        name: 'waits',
        volumes: [{ name: 'v', configMap: { name: 'later' } }],
        containers: [
          {
            name: 'main',
            image: 'local',
            command: ['cat', '/v/key'],
            volumeMounts: [{ name: 'v', mountPath: '/v' }],
          },
        ],
      }),
    )
    const key = inDefault('waits')
    const waiting = await untilObject(
      client,
      PodKind,
      key,
      ({ status }) => status?.containerStatuses?.[0]?.state?.waiting?.message !== undefined,
    )
    expect(waiting.status?.containerStatuses?.[0]?.state?.waiting).toEqual({
      reason: 'ContainerCreating',
      message: 'configmap "later" not found',
    })
    await client.create(ConfigMapKind, { metadata: inDefault('later'), data: { key: 'at last' } })
    await untilObject(client, PodKind, key, ({ status }) => status?.phase === 'Succeeded')
    expect(await logOf(client, 'waits')).toBe('at last')
  })

  test.each([
    { because: 'a sub-path that goes up', name: 'up', mount: { subPath: '../../..' } },
    { because: 'a sub-path by way of a link', name: 'link', mount: { subPath: 'out' } },
    { because: 'a sub-path below a link', name: 'below', mount: { subPath: 'out/sub' } },
  ])('stays in its volume: $because', async ({ name, mount }) => {
    const { client, stateDir } = platform
    const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }]
    const claim = await client.get(PersistentVolumeClaimKind, inDefault('data'))
    const folder = join(stateDir, 'claims', claim.metadata.uid ?? '')
    const outside = join(stateDir, 'outside')
    await mkdir(folder, { recursive: true })
    await mkdir(outside, { recursive: true })
    await symlink(outside, join(folder, 'out')).catch(() => undefined)
    const pod = podOf({
      name,
      volumes,
      containers: [
        {
          name: 'main',
          image: 'local',
          command: ['sh', '-c', 'echo got out > /m/file'],
          volumeMounts: [{ name: 'v', mountPath: '/m', ...mount }],
        },
      ],
    })
    const created = await client.create(PodKind, pod).then(
      () => true,
      () => false,
    )
    // The server rejects what it can see; only the node knows the disk.
    if (created) {
      const waiting = await untilObject(
        client,
        PodKind,
        inDefault(name),
        ({ status }) => status?.containerStatuses?.[0]?.state?.waiting?.message !== undefined,
      )
      expect(waiting.status?.containerStatuses?.[0]?.state?.waiting?.reason).toMatch(/^Create/)
      await client.delete(PodKind, inDefault(name))
    }
    expect(await readdir(outside)).toEqual([])
  })

  test('a mount path that goes up stays below the root', async () => {
    const expectedOutput = await output(
      'climbing',
      'ls /tmp/climb',
      [{ name: 'v', configMap: { name: 'settings' } }],
      [{ name: 'v', mountPath: '/../../tmp/climb' }],
    )
    expect(expectedOutput).toBe('app.conf\nother\nraw\n')
    await expect(stat('/tmp/climb')).rejects.toThrow()
  })

  test('secrets are removed when the pod has ended, and all its files when it is deleted', async () => {
    const { client, stateDir } = platform
    const memory = (await readdir('/dev/shm').catch(() => [])).filter((one) =>
      one.startsWith('agents-'),
    )
    const pod = await client.get(PodKind, inDefault('secret'))
    const uid = pod.metadata.uid ?? ''
    for (const folder of memory) {
      // Folders of other nodes may appear and disappear.
      expect(await readdir(join('/dev/shm', folder)).catch(() => [])).not.toContain(uid)
    }
    expect(await readdir(join(stateDir, 'pods'))).toContain(uid)
    expect(await readdir(join(stateDir, 'pods', uid))).not.toContain('secrets')
    await client.delete(PodKind, inDefault('secret'))
    await untilGone(client, PodKind, inDefault('secret'))
    const pods = () => readdir(join(stateDir, 'pods'))
    await expect.poll(pods, { timeout: 200_000 }).not.toContain(uid)
  })

  test('the folder of a pod is private to its owner', async () => {
    const { metadata } = await platform.client.get(PodKind, inDefault('config'))
    const { mode: bits } = await stat(join(platform.stateDir, 'pods', metadata.uid ?? ''))
    expect(bits & 0o077).toBe(0)
  })
})
