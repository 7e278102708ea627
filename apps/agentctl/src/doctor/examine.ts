import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Finding } from '@agents/jangar'
import { explainFailure } from '../cli/explain-failure.ts'
import type { World } from '../cli/world.ts'
import { chooseStateDir } from '../cluster/choose-kubeconfig.ts'
import type { ClusterValues } from '../cluster/cluster-options.ts'
import { type Cluster, openCluster } from '../cluster/open-cluster.ts'
import { askPlatform } from '../platform/ask-platform.ts'
import { readPlatformRecord } from '../platform/platform-record.ts'
import {
  checkControllers,
  checkDefinitions,
  checkNamespace,
  checkPermissions,
} from './check-cluster.ts'

/** Looks at everything that a working platform needs, as far as one check lets the next begin. */
export async function examine(values: ClusterValues, world: World): Promise<Finding[]> {
  const local = await Promise.all([checkGit(world), checkPlatform(values, world)])
  const opened = await openedCluster(values, world)
  if ('about' in opened) return [...local, opened]
  const { client, namespace, kubeconfig, server } = opened
  const findings: Finding[] = [
    ...local,
    {
      about: 'kubeconfig',
      verdict: 'good',
      says: `${kubeconfig.paths.join(', ') || 'none'} (${kubeconfig.because})`,
    },
  ]
  try {
    const reached = await asked('API server', world, async () => {
      const { gitVersion } = await client.discovery.version({
        signal: world.stop,
        timeoutMs: 5000,
        retries: 0,
      })
      return { about: 'API server', verdict: 'good', says: `Kubernetes ${gitVersion} at ${server}` }
    })
    if (reached.verdict !== 'good') return [...findings, reached]
    const platformPid = await platformAt(server, values, world)
    const examined = { client, namespace, now: world.now, signal: world.stop, platformPid }
    const rest = await Promise.all([
      asked('kinds', world, () => checkDefinitions(examined)),
      asked('namespace', world, () => checkNamespace(examined)),
      asked('controllers', world, () => checkControllers(examined)),
      asked('permissions', world, () => checkPermissions(examined)),
    ])
    return [...findings, reached, ...rest]
  } finally {
    client.close()
  }
}

async function openedCluster(values: ClusterValues, world: World): Promise<Cluster | Finding> {
  try {
    return await openCluster(values, world)
  } catch (error) {
    const { message, advice } = explainFailure(error, world.stop)
    return { about: 'kubeconfig', verdict: 'bad', says: message, advice }
  }
}

/** A check that fails is a finding too. */
async function asked(about: string, world: World, check: () => Promise<Finding>): Promise<Finding> {
  try {
    return await check()
  } catch (error) {
    const { message, advice } = explainFailure(error, world.stop)
    return { about, verdict: 'bad', says: message, advice }
  }
}

async function checkGit({ environment }: World): Promise<Finding> {
  try {
    const { stdout } = await promisify(execFile)('git', ['--version'], {
      env: { PATH: environment.PATH },
    })
    return { about: 'git', verdict: 'good', says: stdout.trim() }
  } catch {
    const advice = ['Install git: agents that work in repositories on this machine need it.']
    return { about: 'git', verdict: 'doubtful', says: 'there is no git on the PATH', advice }
  }
}

async function checkPlatform(values: ClusterValues, world: World): Promise<Finding> {
  const about = 'local platform'
  const stateDir = chooseStateDir(values, world)
  const record = await readPlatformRecord(stateDir)
  if (record === undefined) {
    return { about, verdict: 'good', says: `not running in ${stateDir} (agentctl up starts it)` }
  }
  const answer = await askPlatform(record, 'identity')
  if (answer === 'answered') {
    return {
      about,
      verdict: 'good',
      says: `process ${record.pid} at ${record.url}, state in ${stateDir}`,
    }
  }
  const advice = ['agentctl up starts it again, with everything that was there.']
  return {
    about,
    verdict: 'doubtful',
    says: `the one in ${stateDir} has ended without a word`,
    advice,
  }
}

/** The process of the local platform, if that is what listens at the address. */
async function platformAt(
  server: string,
  values: ClusterValues,
  world: World,
): Promise<number | undefined> {
  const record = await readPlatformRecord(chooseStateDir(values, world))
  if (record?.url !== server) return undefined
  return (await askPlatform(record, 'identity')) === 'answered' ? record.pid : undefined
}
