import type { Agent, AgentRun, ToolRun } from '@agents/jangar-api'
import {
  isForbidden,
  isNotFound,
  type KindRef,
  type KubeClient,
  type KubeObject,
  kindRef,
  type New,
  SecretKind,
} from '@agents/kube'
import { CommandFailure } from '../cli/command-failure.ts'
import { exitCode } from '../cli/exit-code.ts'
import { nearestWord } from '../cli/nearest-word.ts'
import { platformKind } from '../cluster/known-kinds.ts'

interface Reference {
  readonly kind: KindRef<KubeObject>
  readonly name: string
  /** What names the object, if it is not the run. */
  readonly from?: string
}

/** What looking up references depends on. */
interface Lookup {
  readonly client: KubeClient
  readonly namespace: string
  readonly signal: AbortSignal
}

/**
 * Fails if objects that the run names do not exist, with all of them in one message: the platform would let the run
 * wait for them without end. What the user may not read is not checked.
 */
export async function checkNames(
  client: KubeClient,
  run: New<AgentRun>,
  signal: AbortSignal,
  needsRepository = false,
): Promise<void> {
  const lookup = { client, namespace: run.metadata.namespace ?? '', signal }
  const agent = await find(lookup, { kind: ofPlatform('Agent'), name: run.spec.agentRef.name })
  await checkAll(lookup, [...referencesOf(run), ...(agent === 'unknown' ? [] : ofAgent(agent))])
  if (needsRepository && agent !== 'unknown') checkRepository(run, agent)
}

/** The same for the Tool of a run. */
export async function checkTool(
  client: KubeClient,
  { metadata, spec }: New<ToolRun>,
  signal: AbortSignal,
): Promise<void> {
  const lookup = { client, namespace: metadata.namespace ?? '', signal }
  await checkAll(lookup, named('Tool', spec.toolRef?.name))
}

async function checkAll(lookup: Lookup, references: readonly Reference[]): Promise<void> {
  const found = await Promise.all(references.map((reference) => find(lookup, reference)))
  const missing = references.filter((_, index) => found[index] === undefined)
  if (missing.length === 0) return
  const problems = await Promise.all(missing.map((reference) => describe(lookup, reference)))
  throw new CommandFailure(problems.join('\n'), {
    code: exitCode.usage,
    advice: [
      'Nothing was created. To create the run anyway, so that it waits for them: --wait-for-agent',
    ],
  })
}

async function find(
  { client, namespace, signal }: Lookup,
  { kind, name }: Reference,
): Promise<KubeObject | undefined | 'unknown'> {
  try {
    return await client.get(kind, { namespace, name }, { signal })
  } catch (error) {
    // Without a name the kind itself is missing, which the create reports.
    if (isNotFound(error)) return error.details?.name === undefined ? 'unknown' : undefined
    if (isForbidden(error)) return 'unknown'
    throw error
  }
}

async function describe(
  { client, namespace, signal }: Lookup,
  { kind, name, from }: Reference,
): Promise<string> {
  const { items } = await client.list(kind, { namespace, limit: 500, signal }).catch(() => ({
    items: [],
  }))
  const suggestion = nearestWord(
    name,
    items.map(({ metadata }) => metadata.name),
  )
  const origin = from === undefined ? '' : `, which ${from} refers to,`
  const hint = suggestion === undefined ? '' : `; did you mean ${suggestion}?`
  return `${kind.kind} ${JSON.stringify(name)}${origin} does not exist in namespace ${namespace}${hint}`
}

/** Without a VersionControlProvider the run would succeed, and its work would be lost. */
function checkRepository({ spec }: New<AgentRun>, agent: KubeObject | undefined): void {
  const { spec: ofAgent } = (agent ?? {}) as { spec?: Agent['spec'] }
  if ((spec.vcsRef ?? ofAgent?.vcsRef) !== undefined) return
  throw new CommandFailure(
    `Agent ${JSON.stringify(spec.agentRef.name)} has no vcsRef, so the run would not get a repository`,
    {
      code: exitCode.usage,
      advice: [
        'Nothing was created. Name a VersionControlProvider in spec.vcsRef of the Agent, or of the run in a file.',
      ],
    },
  )
}

function referencesOf({ spec }: New<AgentRun>): Reference[] {
  const steps = spec.workflow?.steps ?? []
  const specs = [spec, ...steps].flatMap(({ implementation, implementationSpecRef: ref }) =>
    implementation === undefined && ref !== undefined ? [ref.name] : [],
  )
  return [
    { kind: ofPlatform('Agent'), name: spec.agentRef.name },
    ...[...new Set(specs)].map((name) => ({ kind: ofPlatform('ImplementationSpec'), name })),
    ...named('VersionControlProvider', spec.vcsRef?.name),
    ...named('Memory', spec.memoryRef?.name),
    ...(spec.secrets ?? []).map((name) => ({ kind: secretKind, name })),
  ]
}

function ofAgent(agent: KubeObject | undefined): Reference[] {
  if (agent === undefined) return []
  const { spec } = agent as KubeObject & { spec?: { providerRef?: { name?: string } } }
  const from = `Agent ${agent.metadata.name}`
  return named('AgentProvider', spec?.providerRef?.name).map((each) => ({ ...each, from }))
}

function named(kind: string, name: string | undefined): Reference[] {
  return name === undefined ? [] : [{ kind: ofPlatform(kind), name }]
}

function ofPlatform(kind: string): KindRef<KubeObject> {
  return kindRef<KubeObject>(platformKind(kind))
}

const secretKind = SecretKind as KindRef<KubeObject>
