import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Finding } from '@agents/jangar'
import type { CommandContext } from '../cli/command-context.ts'
import { explainFailure } from '../cli/explain-failure.ts'
import { findStateDir } from '../cluster/choose-kubeconfig.ts'
import type { ClusterValues } from '../cluster/cluster-options.ts'
import { type Cluster, openCluster } from '../cluster/open-cluster.ts'
import type { DatabaseState } from '../running-platform/platform-health.ts'
import { readPlatformRecord } from '../running-platform/platform-record.ts'
import { platformHealth, queryPlatform } from '../running-platform/query-platform.ts'
import { checkAgentClis } from './check-agent-clis.ts'
import { checkDisk } from './check-disk.ts'
import { checkPolicies } from './check-policies.ts'

/** Checks everything that a working platform needs. Checks that depend on a failed one are skipped. */
export async function checkEverything(
  values: ClusterValues,
  context: CommandContext,
): Promise<Finding[]> {
  const local = (
    await Promise.all([
      checkGit(context),
      checkPlatform(values, context),
      runCheck('disk', context, async () => checkDisk(await findStateDir(values, context))),
      checkDatabase(values, context),
    ])
  ).flat()
  const opened = await openedCluster(values, context)
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
    const reached = await runCheck('API server', context, async () => {
      const { gitVersion } = await client.discovery.version({
        signal: context.stop,
        timeoutMs: 5000,
        retries: 0,
      })
      return { about: 'API server', verdict: 'good', says: `Kubernetes ${gitVersion} at ${server}` }
    })
    if (reached.verdict !== 'good') return [...findings, reached]
    // Loaded here: it is a whole service, and no other command needs it.
    const { clusterChecks } = await import('@agents/jangar')
    const platformPid = await platformAt(server, values, context)
    const controllers = platformPid === undefined ? undefined : { pid: platformPid }
    const examined = { client, namespace, now: context.now, signal: context.stop }
    const rest = await Promise.all([
      ...clusterChecks({ ...examined, controllers }).map(({ about, run }) =>
        runCheck(about, context, run),
      ),
      runCheck('policies', context, () => checkPolicies(examined)),
      runCheck('agent CLIs', context, () =>
        checkAgentClis({ ...examined, platformPid }, context.environment.PATH),
      ),
    ])
    return [...findings, reached, ...rest]
  } finally {
    client.close()
  }
}

async function openedCluster(
  values: ClusterValues,
  context: CommandContext,
): Promise<Cluster | Finding> {
  try {
    return await openCluster(values, context)
  } catch (error) {
    const { message, advice } = explainFailure(error, context.stop)
    return { about: 'kubeconfig', verdict: 'bad', says: message, advice }
  }
}

/** Runs a check. An error becomes a finding. */
async function runCheck(
  about: string,
  context: CommandContext,
  check: () => Promise<Finding>,
): Promise<Finding> {
  try {
    return await check()
  } catch (error) {
    const { message, advice } = explainFailure(error, context.stop)
    return { about, verdict: 'bad', says: message, advice }
  }
}

async function checkGit({ environment }: CommandContext): Promise<Finding> {
  try {
    const { stdout } = await promisify(execFile)('git', ['--version'], {
      env: { PATH: environment.PATH },
    })
    return { about: 'git', verdict: 'good', says: stdout.trim() }
  } catch {
    const advice = ['Install git: runs with a repository need it on this machine.']
    return { about: 'git', verdict: 'doubtful', says: 'git was not found on the PATH', advice }
  }
}

async function checkPlatform(values: ClusterValues, context: CommandContext): Promise<Finding> {
  const about = 'local platform'
  const stateDir = await findStateDir(values, context)
  const record = await readPlatformRecord(stateDir)
  if (record === undefined) {
    return { about, verdict: 'good', says: `not running in ${stateDir} (agentctl up starts it)` }
  }
  const answer = await queryPlatform(record, 'identity')
  if (answer === 'answered') {
    return {
      about,
      verdict: 'good',
      says: `process ${record.pid} at ${record.url}, state in ${stateDir}`,
    }
  }
  const advice = ['Run agentctl up to start it again with all its objects.']
  return {
    about,
    verdict: 'doubtful',
    says: `the platform in ${stateDir} was killed or has crashed`,
    advice,
  }
}

/** Checks the database of the local platform. A platform that is not running has no finding. */
async function checkDatabase(values: ClusterValues, context: CommandContext): Promise<Finding[]> {
  const record = await readPlatformRecord(await findStateDir(values, context))
  const health = record && (await platformHealth(record))
  return health === undefined ? [] : [databaseFindings[health.database]]
}

const about = 'local database'
const databaseFindings: Readonly<Record<DatabaseState, Finding>> = {
  serving: { about, verdict: 'good', says: 'finished runs are archived' },
  starting: { about, verdict: 'good', says: 'PostgreSQL is starting' },
  down: {
    about,
    verdict: 'bad',
    says: 'PostgreSQL has stopped and is being restarted; finished runs will be archived afterwards',
    advice: ['See platform.log in the state folder for the reason.'],
  },
  none: {
    about,
    verdict: 'doubtful',
    says: 'this machine cannot run PostgreSQL; finished runs are not archived',
    advice: ['See platform.log in the state folder for the reason.'],
  },
}

/** The process of the local platform, if that is what listens at the address. */
async function platformAt(
  server: string,
  values: ClusterValues,
  context: CommandContext,
): Promise<number | undefined> {
  const record = await readPlatformRecord(await findStateDir(values, context))
  if (record?.url !== server) return undefined
  return (await queryPlatform(record, 'identity')) === 'answered' ? record.pid : undefined
}
