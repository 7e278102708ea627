import { chmod, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type AgentRun, agent, agentProvider, versionControlProvider } from '@agents/jangar-api'
import { kindRef, SecretKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  namespace,
  type RunPlatform,
  runKind,
  type ServerName,
  startRunPlatform,
  unlimited,
} from '../../support/run-platform/run-platform.ts'
import { type GuardedRemote, startGuardedRemote } from './guarded-remote.ts'
import { writePrograms } from './run-programs.ts'

const token = 'planted-repository-token-8f3a1c'
const encoded = Buffer.from(`x-access-token:${token}`).toString('base64')

/** A hostile agent on a whole platform: what it can read, and what happens to its work. */
export function publisherAttacks(server: ServerName): void {
  let platform: RunPlatform
  let remote: GuardedRemote
  let folder: string
  let loot: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agents-publisher-'))
    await chmod(folder, 0o755)
    loot = join(folder, 'loot')
    await mkdir(loot)
    await chmod(loot, 0o777)
    remote = await startGuardedRemote(join(folder), token)
    const programs = await writePrograms(join(folder, 'bin'))
    platform = await startRunPlatform(server)
    await prepare(platform, remote.url)
    await platform.startNode([], programs)
    await platform.startControllers(unlimited)
  }, 180_000)

  afterAll(async () => {
    remote?.stop()
    await platform?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  const finished = (name: string) => runToEnd(platform, name)
  const create = (name: string, script: string, head?: string) =>
    platform.client.create(runKind, {
      metadata: { name, namespace },
      spec: {
        agentRef: { name: 'hostile' },
        implementation: { inline: { text: 'Look around.' } },
        runtime: { type: 'job' },
        vcsRef: { name: 'hub' },
        parameters: { script, repository: 'owner/app', ...(head && { head }) },
      },
    } as never)

  describe(`on the ${server} API server`, () => {
    test('an agent does not find the credential, neither in its own pod nor in that of another run', async () => {
      // Reads everything that it can of all processes, its volumes and the folders of mounted Secrets, while other runs
      // work.
      const spy = `for i in $(seq 60); do
          cat /proc/$PPID/environ /proc/[0-9]*/environ /proc/[0-9]*/cmdline
          sleep 0.05
        done >> ${loot}/processes 2>/dev/null
        (env; git config --list --show-origin) > ${loot}/environment 2>&1
        grep -rs . /var/run/agents /run/agents /var/run/secrets /run/secrets /dev/shm /workspace > ${loot}/files 2>&1
        git config filter.x.clean 'sh -c "cat /proc/[0-9]*/environ >> ${loot}/filter 2>/dev/null; env >> ${loot}/filter; cat"'
        echo '* filter=x' > .gitattributes
        echo spied >> README.md`
      await create('spy', spy)
      await create('victim', 'sleep 1; echo worked >> README.md')
      const [spied, worked] = [await finished('spy'), await finished('victim')]
      expect(phaseOf(worked)).toEqual(['Succeeded', true])
      expect(phaseOf(spied)).toEqual(['Succeeded', true])
      const texts = await contents(loot)
      expect(texts.map(({ name }) => name)).toContain('filter')
      expect(texts.filter(({ text }) => text.includes(token) || text.includes(encoded))).toEqual([])
      expect(remote.branches()).toEqual(
        expect.arrayContaining(['agents/spy', 'agents/victim', 'main']),
      )
    })

    test('a rewritten URL and a proxy in the work tree have no effect', async () => {
      const script = `git config url.file://${loot}/evil.git.insteadOf ${remote.url}/owner/app.git
        git config http.proxy http://127.0.0.1:9; git config http.sslVerify false
        echo more >> README.md`
      await create('rewriter', script)
      const run = await finished('rewriter')
      expect(phaseOf(run)).toEqual(['Succeeded', true])
      expect(remote.branches()).toContain('agents/rewriter')
    })

    test('a run that requests the base branch is refused', async () => {
      const before = remote.branches()
      await create('base', 'echo more >> README.md', 'main')
      const run = await finished('base')
      expect(run.status?.phase).toBe('Failed')
      expect(JSON.stringify(run.status?.conditions)).toContain('VcsPolicyDenied')
      expect(remote.branches()).toEqual(before)
    })

    test('an agent that is killed pushes nothing, and its run reports the reason', async () => {
      await create('dies', 'echo more >> README.md; kill -9 $PPID; sleep 5')
      const run = await finished('dies')
      expect(phaseOf(run)).toEqual(['Failed', false])
      expect(run.status?.exitCode).toBe(137)
      expect(remote.branches()).not.toContain('agents/dies')
    })
  })
}

function phaseOf({ status }: AgentRun): unknown {
  return [status?.phase, status?.vcs?.pushed]
}

async function runToEnd({ client }: RunPlatform, name: string): Promise<AgentRun> {
  for (;;) {
    const run = await client.get(runKind, { namespace, name })
    if (run.status?.finishedAt !== undefined) return run
    await delay(100)
  }
}

async function contents(folder: string): Promise<{ name: string; text: string }[]> {
  const names = await readdir(folder)
  return Promise.all(
    names.map(async (name) => ({ name, text: await readFile(join(folder, name), 'latin1') })),
  )
}

async function prepare({ client }: RunPlatform, url: string): Promise<void> {
  const data = { token: Buffer.from(token).toString('base64') }
  await client.create(SecretKind, { metadata: { name: 'forge', namespace }, data } as never)
  await client.create(kindRef(versionControlProvider), {
    metadata: { name: 'hub', namespace },
    spec: {
      provider: 'github',
      cloneBaseUrl: url,
      auth: { token: { secretRef: { name: 'forge' } } },
      defaults: { baseBranch: 'main' },
    },
  } as never)
  await client.create(kindRef(agentProvider), {
    metadata: { name: 'hostile', namespace },
    spec: {
      binary: 'agent-runner',
      argsTemplate: ['--', '/bin/sh', '-c', '{{ inputs.script }}'],
    },
  } as never)
  await client.create(kindRef(agent), {
    metadata: { name: 'hostile', namespace },
    spec: { providerRef: { name: 'hostile' } },
  } as never)
}
