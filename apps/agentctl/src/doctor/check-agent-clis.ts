import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Finding } from '@agents/jangar'
import { type AgentProvider, agentProvider } from '@agents/jangar-api'
import { isForbidden, type KubeClient, kindRef } from '@agents/kube'

type Cli = NonNullable<AgentProvider['spec']['cli']>

interface Examined {
  readonly client: Pick<KubeClient, 'list'>
  readonly namespace: string
  readonly signal: AbortSignal
  /** Undefined: runs have images, and the programs are in them. */
  readonly platformPid: number | undefined
}

const about = 'agent CLIs'

/** Only these programs are started: whoever may create AgentProviders must not choose what doctor runs. */
const programs: Readonly<Record<Cli['name'], string>> = {
  codex: 'codex',
  'claude-code': 'claude',
  'gemini-cli': 'gemini',
  opencode: 'opencode',
  aider: 'aider',
}

/** Compares the installed agent CLIs with the versions that their providers were tested with. */
export async function checkAgentClis(
  { client, namespace, signal, platformPid }: Examined,
  path: string | undefined,
): Promise<Finding> {
  if (platformPid === undefined) {
    return { about, verdict: 'good', says: 'not checked: they are in the images of runs' }
  }
  let items: readonly AgentProvider[]
  try {
    const listed = await client.list(kindRef(agentProvider), { namespace, signal })
    items = listed.items as unknown as AgentProvider[]
  } catch (error) {
    if (!isForbidden(error)) throw error
    const says = 'not checked: you are not allowed to list AgentProviders'
    return { about, verdict: 'doubtful', says }
  }
  const clis = items.flatMap(({ metadata, spec }) =>
    spec.cli === undefined ? [] : [{ provider: metadata.name, cli: spec.cli }],
  )
  const user = await userOfAgents()
  const findings = await Promise.all(
    clis.map(async ({ provider, cli }) => {
      const version = await versionOf(programs[cli.name], { path, signal, user })
      return cliFinding(provider, cli, version, user)
    }),
  )
  const problems = findings.filter(({ isGood }) => !isGood)
  if (problems.length === 0) {
    const says = findings.map((one) => one.says).join('; ') || 'no AgentProvider runs one'
    return { about, verdict: 'good', says }
  }
  return {
    about,
    verdict: 'doubtful',
    says: problems.map((one) => one.says).join('; '),
    advice: ['Install a tested version, or try yours and add it to cli.testedVersions.'],
  }
}

interface CliFinding {
  readonly isGood: boolean
  readonly says: string
}

/** The user that agents run as, if it is not the user of this process: a platform of root runs them as another one. */
async function userOfAgents(): Promise<number | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const { agentId } = await import('@agents/local-node')
  return agentId
}

export function cliFinding(
  provider: string,
  cli: Cli,
  version: string | undefined,
  user?: number,
): CliFinding {
  const { testedVersions = [] } = cli
  const program = programs[cli.name]
  if (version === undefined) {
    const where = user === undefined ? 'the PATH' : `the PATH by user ${user}, who runs agents`
    const says = `${program}, which AgentProvider ${provider} runs, was not found on ${where}`
    return { isGood: false, says }
  }
  const isTested = testedVersions.some((one) => version === one || version.startsWith(`${one}.`))
  if (isTested || testedVersions.length === 0)
    return { isGood: true, says: `${program} ${version}` }
  const tested = testedVersions.join(', ')
  return {
    isGood: false,
    says: `${program} is ${version}, and AgentProvider ${provider} was tested with ${tested}`,
  }
}

interface Lookup {
  readonly path: string | undefined
  readonly signal: AbortSignal
  /** If omitted, the user of this process. */
  readonly user: number | undefined
}

/** Undefined if the program cannot be started or prints no version. */
async function versionOf(
  program: string,
  { path, signal, user }: Lookup,
): Promise<string | undefined> {
  try {
    const env = { PATH: path, HOME: '/nonexistent' }
    const as = user === undefined ? {} : { uid: user, gid: user, cwd: '/' }
    const options = { ...as, env, signal, timeout: 20_000 }
    const { stdout } = await promisify(execFile)(program, ['--version'], options)
    return /\d+\.\d+[\w.-]*/.exec(stdout)?.[0]
  } catch {
    return undefined
  }
}
