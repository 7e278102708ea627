import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  ConfigMapKind,
  type Container,
  PersistentVolumeClaimKind,
  PodKind,
  SecretKind,
} from '@agents/kube'
import { ContainerEngine } from '@agents/local-node'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { tinyImage } from '../testbed/container-engine.ts'
import { describePlatforms } from './engines.ts'
import { inDefault, logOf, type PodParts, runPod, until } from './platform.ts'

const ownImage = 'localhost/agents-test/own:1'

await describePlatforms('an image gets what its pod says', (on) => {
  const { engine } = on
  beforeAll(async () => {
    await on.platform.client.create(ConfigMapKind, {
      metadata: inDefault('settings'),
      data: { key: 'value', 'second.key': 'two\nlines' },
    })
    await on.platform.client.create(SecretKind, {
      metadata: inDefault('keys'),
      stringData: { token: 'hush', HOME: '/from/secret' },
    })
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } }
    await on.platform.client.create(PersistentVolumeClaimKind, {
      metadata: inDefault('data'),
      spec,
    })
    await engine.importImage(engine.tinyRoot, ownImage, [
      'ENTRYPOINT ["/bin/echo", "entry:"]',
      'CMD ["default", "words"]',
    ])
  })

  /** What a container says in the end, and the pod. */
  const run = async (name: string, container: Partial<Container>, spec: Partial<PodParts> = {}) => {
    const containers = [
      { name: 'main', image: tinyImage, imagePullPolicy: 'Never' as const, ...container },
    ]
    const pod = await runPod(on.platform.client, { name, containers, ...spec })
    const said = await logOf(on.platform.client, name, { container: 'main' })
    return { pod, said, end: pod.status?.containerStatuses?.[0]?.state?.terminated }
  }
  const sh = (script: string) => ({ command: ['sh', '-c', script] })

  test('a command with its exit code and its last words', async () => {
    const { said, end } = await run(
      'words',
      sh('echo out; echo bye > /dev/termination-log; exit 3'),
    )
    expect(said).toBe('out\n')
    expect(end).toMatchObject({ exitCode: 3, reason: 'Error', message: 'bye\n' })
  })

  test('last words in a volume, of whichever user', async () => {
    const { end } = await run(
      'words-in-volume',
      {
        ...sh('echo bye > /desk/last'),
        terminationMessagePath: '/desk/last',
        volumeMounts: [{ name: 'v', mountPath: '/desk' }],
        securityContext: { runAsUser: 1234 },
      },
      { volumes: [{ name: 'v', emptyDir: {} }] },
    )
    expect(end).toMatchObject({ exitCode: 0, reason: 'Completed', message: 'bye\n' })
  })

  test('variables, whole and under any name', async () => {
    const script =
      'echo "$LINES2"; echo "$WHO|$EMPTY|$HOME|$DOCKER_HOST|$PREFIX_key|$PATH|$PWD"; cat /proc/1/environ'
    const { said } = await run('variables', {
      ...sh(script),
      envFrom: [
        { prefix: 'PREFIX_', configMapRef: { name: 'settings' } },
        { secretRef: { name: 'keys' } },
      ],
      env: [
        { name: 'WHO', value: 'you = "me"  ' },
        { name: 'EMPTY', value: '' },
        { name: 'LINES2', value: 'one\ntwo' },
        { name: 'DOCKER_HOST', value: 'tcp://127.0.0.1:1' },
        { name: 'PATH', value: '/bin:/own' },
        { name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        { name: 'odd.name', value: 'odd' },
      ],
    })
    const [first, second, third] = said.split('\n')
    const rest = said.slice(said.indexOf(`${third}\n`) + `${third}\n`.length).split('\0')
    expect([first, second]).toEqual(['one', 'two'])
    expect(third).toBe('you = "me"  ||/from/secret|tcp://127.0.0.1:1|value|/bin:/own|/')
    expect(rest).toContain('odd.name=odd')
    expect(rest).toContain('token=hush')
    expect(said).not.toContain('PREFIX_second.key')
    expect(rest).toContain('NAME=variables')
    expect(rest).toContain('HOSTNAME=variables')
    const names = rest.map((line) => line.split('=')[0])
    expect(names).not.toContain('CONTAINERS_CONF')
    expect(names).not.toContain('AGENTS_CONTAINER')
  })

  if (engine.name === 'docker') {
    test('no proxies of the person who runs it, only its own', async () => {
      const folder = join(engine.environment.HOME ?? '', '.docker')
      onTestFinished(() => rm(folder, { recursive: true }))
      await mkdir(folder)
      const proxies = { default: { httpProxy: 'http://127.0.0.1:1', noProxy: 'localhost' } }
      await writeFile(join(folder, 'config.json'), JSON.stringify({ proxies }))
      const { said } = await run('proxies', {
        ...sh('env'),
        env: [{ name: 'NO_PROXY', value: 'mine' }],
      })
      expect(said.split('\n').filter((line) => /_proxy=/i.test(line))).toEqual(['NO_PROXY=mine'])
    })
  }

  test('volumes of every sort, for a user of its own', async () => {
    const script = [
      'cat /config/key /one-file /keys/token',
      'echo "$(cat /shared/from-init) $(cat /shared/sub/deep)"',
      'echo mine > /shared/mine && echo data > /data/kept && echo x > /sub/x && ls /shared/new',
      'touch /config/no 2>/dev/null || echo read-only',
      'touch /again/no 2>/dev/null || echo read-only too',
      'stat -c %a /keys/token',
    ].join('\n')
    const { said, end } = await run(
      'volumes',
      {
        ...sh(script),
        volumeMounts: [
          { name: 'config', mountPath: '/config' },
          { name: 'config', mountPath: '/one-file', subPath: 'second.key' },
          { name: 'keys', mountPath: '/keys' },
          { name: 'shared', mountPath: '/shared' },
          { name: 'shared', mountPath: '/again', readOnly: true },
          { name: 'shared', mountPath: '/sub', subPath: 'new' },
          { name: 'data', mountPath: '/data' },
        ],
      },
      {
        securityContext: { runAsUser: 4321, runAsGroup: 4321, fsGroup: 4321 },
        initContainers: [
          {
            name: 'first',
            image: tinyImage,
            ...sh('mkdir /s/sub; echo deep > /s/sub/deep; echo "left for you" > /s/from-init'),
            volumeMounts: [{ name: 'shared', mountPath: '/s' }],
          },
        ],
        volumes: [
          { name: 'config', configMap: { name: 'settings' } },
          { name: 'keys', secret: { secretName: 'keys', defaultMode: 0o400 } },
          { name: 'shared', emptyDir: {} },
          { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
        ],
      },
    )
    expect(said).toBe('valuetwo\nlineshushleft for you deep\nx\nread-only\nread-only too\n444\n')
    expect(end?.exitCode).toBe(0)
  })

  test('paths that an engine has to be told with care', async () => {
    const { said } = await run(
      'odd-paths',
      { ...sh('cat "/a,b/key"'), volumeMounts: [{ name: 'v', mountPath: '/a,b' }] },
      { volumes: [{ name: 'v', configMap: { name: 'settings' } }] },
    )
    expect(said).toBe('value')
  })

  test('a working directory and a name of its own', async () => {
    const { said } = await run(
      'place',
      {
        ...sh('pwd; hostname'),
        workingDir: '/desk/deep',
        volumeMounts: [{ name: 'v', mountPath: '/desk/deep' }],
      },
      { volumes: [{ name: 'v', emptyDir: {} }] },
    )
    expect(said).toBe('/desk/deep\nplace\n')
  })

  test.each([
    {
      because: 'the pod’s user',
      pod: { runAsUser: 7, runAsGroup: 8, supplementalGroups: [9] },
      own: {},
      said: '7 8 8 9\n',
    },
    {
      because: 'the container’s before it',
      pod: { runAsUser: 7 },
      own: { runAsUser: 1234 },
      said: '1234 1234 1234\n',
    },
    { because: 'the image’s where nobody says', pod: {}, own: {}, said: '0 0 0\n' },
  ])('$because', async ({ because, pod, own, said }) => {
    const name = `user-${[...because].length}`
    const container = { ...sh('echo $(id -u) $(id -g) $(id -G)'), securityContext: own }
    expect((await run(name, container, { securityContext: pod })).said).toBe(said)
  })

  test('no more rights than it may have', async () => {
    const script = 'cat /proc/self/status; touch /no 2>/dev/null || echo cannot write'
    const { said } = await run('rights', {
      ...sh(script),
      securityContext: {
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      },
    })
    expect(said).toMatch(/^CapBnd:\t0+$/m)
    expect(said).toMatch(/^NoNewPrivs:\t1$/m)
    expect(said).toContain('cannot write')
  })

  test.each([
    { because: 'the image’s own words', own: {}, said: 'entry: default words\n' },
    {
      because: 'arguments after its entrypoint',
      own: { args: ['my', 'words'] },
      said: 'entry: my words\n',
    },
    { because: 'a command instead of both', own: { command: ['echo', 'mine'] }, said: 'mine\n' },
    {
      because: 'a command and arguments',
      own: {
        command: ['echo'],
        args: ['$(NAME)', '$$(NAME)'],
        env: [{ name: 'NAME', value: 'x' }],
      },
      said: 'x $(NAME)\n',
    },
  ])('$because', async ({ because, own, said }) => {
    const name = `entry-${[...because].length}`
    expect((await run(name, { image: ownImage, ...own })).said).toBe(said)
  })

  // Podman gives other users to those alone who are not the super-user.
  if (engine.name === 'docker' || process.getuid?.() !== 0) {
    test('none of its files left that are not ours', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'agents-left-'))
      onTestFinished(() => rm(folder, { recursive: true, force: true }))
      await mkdir(join(folder, 'a,b', 'deep'), { recursive: true })
      await writeFile(join(folder, 'a,b', 'deep', 'file'), '')
      await symlink('/etc', join(folder, 'link'))
      const { name, environment } = engine
      const container = new ContainerEngine({ name, environment, labels: [] })
      await container.emptyFolder(folder)
      expect(await readdir(folder)).toEqual([])
      await container.emptyFolder(folder)
      const unnamed = ['images', '--quiet', '--filter', 'dangling=true']
      expect(await engine.ask(unnamed), 'one image serves all').toBe('')
      expect(existsSync('/etc/passwd')).toBe(true)
      expect(await engine.ask(['ps', '--all', '--quiet'])).toBe('')
    })
  }

  test('nothing left of it, neither in the engine nor of its user’s files', async () => {
    const { pod } = await run(
      'gone',
      {
        ...sh('mkdir /desk/d; touch /desk/d/f; mkdir /memory/d; touch /memory/d/f'),
        securityContext: { runAsUser: 4321 },
        volumeMounts: [
          { name: 'v', mountPath: '/desk' },
          { name: 'm', mountPath: '/memory' },
        ],
      },
      {
        volumes: [
          { name: 'v', emptyDir: {} },
          { name: 'm', emptyDir: { medium: 'Memory' } },
        ],
      },
    )
    expect(pod.status?.phase).toBe('Succeeded')
    expect(await engine.ask(['ps', '--all', '--quiet'])).toBe('')
    await on.platform.client.delete(PodKind, inDefault('gone'))
    const folder = join(on.platform.stateDir, 'pods', pod.metadata.uid ?? '')
    await until('no files', async () => (existsSync(folder) ? undefined : true))
  })
})
