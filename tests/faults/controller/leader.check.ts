import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInformers, createKubeClient, LeaseKind } from '@agents/kube'
import { expect, onTestFinished, test } from 'vitest'
import { startProgram } from '../../support/testbed/child-program.ts'
import { faultServers } from '../../support/testbed/fault-servers.ts'
import { seededRandom } from '../../support/testbed/seeded-random.ts'
import { createNamespace, installKinds } from '../../support/testbed/server.ts'
import { serversOfTier } from '../../support/testbed/servers-of-tier.ts'
import { until } from '../../support/testbed/until.ts'
import { expectNoDoubles, startChurn, watchObjectHistory } from './churn.ts'
import { widget } from './widget.ts'

const namespace = 'election'

const servers = await serversOfTier()

test.each(servers)(
  'on the %s server, a leader killed with SIGKILL is replaced when its lease expires, and one that stops releases it',
  async (name) => {
    const server = await faultServers[name]()
    const directory = await mkdtemp(join(tmpdir(), 'agents-leaders-'))
    const client = createKubeClient(server.connection)
    const informers = createInformers(client)
    onTestFinished(async () => {
      await informers.stop()
      client.close()
      await server.stop()
      await rm(directory, { recursive: true, force: true })
    })
    await installKinds(client, [widget])
    await createNamespace(client, namespace)
    const uidsByName = watchObjectHistory(informers, namespace)
    const churn = startChurn(client, namespace, seededRandom())
    const start = (name: string) => startCandidate(directory, name, server.kubeconfigPath)

    const first = await start('first')
    await until(() => first.hasLogged('leading'))
    const second = await start('second')
    for (let step = 0; step < 20; step += 1) await churn.step()
    await churn.converged()
    expect(await second.hasLogged('leading')).toBe(false)

    const holder = async () =>
      (await client.get(LeaseKind, { namespace, name: 'widgets' })).spec?.holderIdentity
    await first.stop('SIGKILL')
    expect(await holder()).toBe(first.identity)
    for (let step = 0; step < 20; step += 1) await churn.step()
    await until(() => second.hasLogged('leading'))
    expect(await holder()).toBe(second.identity)
    await churn.converged()

    const third = await start('third')
    await until(() => third.hasLogged('candidate'))
    await second.stop('SIGTERM')
    // The lease is released, so that the next candidate need not wait for it to expire.
    expect(await holder()).not.toBe(second.identity)
    await until(() => third.hasLogged('leading'))
    for (let step = 0; step < 20; step += 1) await churn.step()
    await churn.converged()
    expectNoDoubles(uidsByName, churn.living)
    const lease = await client.get(LeaseKind, { namespace, name: 'widgets' })
    expect(lease.spec?.leaseTransitions).toBe(2)
    await third.stop('SIGTERM')
  },
)

async function startCandidate(directory: string, name: string, kubeconfig: string) {
  const logPath = join(directory, `${name}.log`)
  const script = join(import.meta.dirname, 'main', 'leader-process.ts')
  const settings = [`KUBECONFIG=${kubeconfig}`, `NAMESPACE=${namespace}`]
  const args = [...settings, process.execPath, script]
  const program = await startProgram(name, '/usr/bin/env', args, logPath)
  onTestFinished(() => program.stop('SIGKILL'))
  return {
    identity: `candidate_${program.pid}`,
    stop: (signal: NodeJS.Signals) => program.stop(signal, 60_000),
    hasLogged: async (word: string) => {
      const ending = program.exited()
      const log = await readFile(logPath, 'utf8')
      if (ending !== undefined) throw new Error(`${name} ${ending}:\n${log}`)
      return log.split('\n').includes(word)
    },
  }
}
