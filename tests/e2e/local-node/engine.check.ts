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
import { tinyImage } from '../../support/testbed/container-engine.ts'
import { until } from '../../support/testbed/until.ts'
import { describePlatforms } from './engines.ts'
import { inDefault, logOf, type PodParts, runPod } from './platform.ts'

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

  /** Runs a container and returns its output and the finished pod. */
  const run = async (name: string, container: Partial<Container>, spec: Partial<PodParts> = {}) => {
    const containers = [
      { name: 'main', image: tinyImage, imagePullPolicy: 'Never' as const, ...container },
    ]
    const pod = await runPod(on.platform.client, { name, containers, ...spec })
    const output = await logOf(on.platform.client, name, { container: 'main' })
    return { pod, output, end: pod.status?.containerStatuses?.[0]?.state?.terminated }
  }
  const sh = (script: string) => ({ command: ['sh', '-c', script] })

  test('a command with its exit code and termination message', async () => {
    const { output, end } = await run(
      'words',
      sh('echo out; echo bye > /dev/termination-log; exit 3'),
    )
    expect(output).toBe('out\n')
    expect(end).toMatchObject({ exitCode: 3, reason: 'Error', message: 'bye\n' })
  })

  test('a termination message in a volume, written by any user', async () => {
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

  test('variables, complete and with any name', async () => {
    const script =
      'echo "$LINES2"; echo "$WHO|$EMPTY|$HOME|$DOCKER_HOST|$PREFIX_key|$PATH|$PWD"; cat /proc/1/environ'
    const { output } = await run('variables', {
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
    const [first, second, third] = output.split('\n')
    const rest = output.slice(output.indexOf(`${third}\n`) + `${third}\n`.length).split('\0')
    expect([first, second]).toEqual(['one', 'two'])
    expect(third).toBe('you = "me"  ||/from/secret|tcp://127.0.0.1:1|value|/bin:/own|/')
    expect(rest).toContain('odd.name=odd')
    expect(rest).toContain('token=hush')
    expect(output).not.toContain('PREFIX_second.key')
    expect(rest).toContain('NAME=variables')
    expect(rest).toContain('HOSTNAME=variables')
    const names = rest.map((line) => line.split('=')[0])
    expect(names).not.toContain('CONTAINERS_CONF')
    expect(names).not.toContain('AGENTS_CONTAINER')
  })

  if (engine.name === 'docker') {
    test('no proxy settings of the user who runs it, only its own', async () => {
      const folder = join(engine.environment.HOME ?? '', '.docker')
      onTestFinished(() => rm(folder, { recursive: true }))
      await mkdir(folder)
      const proxies = { default: { httpProxy: 'http://127.0.0.1:1', noProxy: 'localhost' } }
      await writeFile(join(folder, 'config.json'), JSON.stringify({ proxies }))
      const { output } = await run('proxies', {
        ...sh('env'),
        env: [{ name: 'NO_PROXY', value: 'mine' }],
      })
      expect(output.split('\n').filter((line) => /_proxy=/i.test(line))).toEqual(['NO_PROXY=mine'])
    })
  }

  test('volumes of every type, for a non-root user', async () => {
    const script = [
      'cat /config/key /one-file /keys/token',
      'echo "$(cat /shared/from-init) $(cat /shared/sub/deep)"',
      'echo mine > /shared/mine && echo data > /data/kept && echo x > /sub/x && ls /shared/new',
      'touch /config/no 2>/dev/null || echo read-only',
      'touch /again/no 2>/dev/null || echo read-only too',
      'stat -c %a /keys/token',
    ].join('\n')
    const { output, end } = await run(
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
    expect(output).toBe('valuetwo\nlineshushleft for you deep\nx\nread-only\nread-only too\n444\n')
    expect(end?.exitCode).toBe(0)
  })

  test('paths that need quoting for the engine', async () => {
    const { output } = await run(
      'odd-paths',
      { ...sh('cat "/a,b/key"'), volumeMounts: [{ name: 'v', mountPath: '/a,b' }] },
      { volumes: [{ name: 'v', configMap: { name: 'settings' } }] },
    )
    expect(output).toBe('value')
  })

  test('its own working directory and host name', async () => {
    const { output } = await run(
      'place',
      {
        ...sh('pwd; hostname'),
        workingDir: '/desk/deep',
        volumeMounts: [{ name: 'v', mountPath: '/desk/deep' }],
      },
      { volumes: [{ name: 'v', emptyDir: {} }] },
    )
    expect(output).toBe('/desk/deep\nplace\n')
  })

  test.each([
    {
      because: 'the pod’s user',
      pod: { runAsUser: 7, runAsGroup: 8, supplementalGroups: [9] },
      own: {},
      output: '7 8 8 9\n',
    },
    {
      because: 'the container’s before it',
      pod: { runAsUser: 7 },
      own: { runAsUser: 1234 },
      output: '1234 1234 1234\n',
    },
    { because: 'the image’s where nobody says', pod: {}, own: {}, output: '0 0 0\n' },
  ])('$because', async ({ because, pod, own, output }) => {
    const name = `user-${[...because].length}`
    const container = { ...sh('echo $(id -u) $(id -g) $(id -G)'), securityContext: own }
    expect((await run(name, container, { securityContext: pod })).output).toBe(output)
  })

  test('no more privileges than allowed', async () => {
    const script = 'cat /proc/self/status; touch /no 2>/dev/null || echo cannot write'
    const { output } = await run('rights', {
      ...sh(script),
      securityContext: {
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      },
    })
    expect(output).toMatch(/^CapBnd:\t0+$/m)
    expect(output).toMatch(/^NoNewPrivs:\t1$/m)
    expect(output).toContain('cannot write')
  })

  test.each([
    { because: 'the image’s own words', own: {}, output: 'entry: default words\n' },
    {
      because: 'arguments after its entrypoint',
      own: { args: ['my', 'words'] },
      output: 'entry: my words\n',
    },
    { because: 'a command instead of both', own: { command: ['echo', 'mine'] }, output: 'mine\n' },
    {
      because: 'a command and arguments',
      own: {
        command: ['echo'],
        args: ['$(NAME)', '$$(NAME)'],
        env: [{ name: 'NAME', value: 'x' }],
      },
      output: 'x $(NAME)\n',
    },
  ])('$because', async ({ because, own, output }) => {
    const name = `entry-${[...because].length}`
    expect((await run(name, { image: ownImage, ...own })).output).toBe(output)
  })

  // Podman maps other users only if it does not run as root.
  if (engine.name === 'docker' || process.getuid?.() !== 0) {
    test('no leftover files of other users', async () => {
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

  test('no leftovers, neither containers nor files of its user', async () => {
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
    await until(async () => (existsSync(folder) ? undefined : true), 'waited in vain for: no files')
  })
})
