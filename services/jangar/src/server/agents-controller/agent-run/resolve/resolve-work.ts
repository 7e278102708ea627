import { posix } from 'node:path'
import type { Agent, AgentRun, Memory } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import { defaultStartTimeoutSeconds } from '../../../jobs/task-state.ts'
import { isTrue } from '../../../kubernetes/condition-of.ts'
import { keyMissing, notReady } from '../../../kubernetes/dependency.ts'
import { secretVariablesOf, wholeSecrets } from './agent-defaults.ts'
import { contractProblem, contractStatus } from './contract.ts'
import { duplicateProblem } from './duplicate.ts'
import { resolveGitSkills } from './git-skills.ts'
import { mcpNote, mcpSecretUses, mcpVariables } from './mcp-servers.ts'
import { resolveMemory } from './memory.ts'
import { metadataOf } from './metadata.ts'
import {
  type AgentAndProvider,
  findAgentAndProvider,
  findTask,
  type OwnSettings,
  ownSettings,
  type Task,
} from './prerequisites.ts'
import { type Found, firstProblem, refused } from './problem.ts'
import { promptNote } from './prompt-use.ts'
import type {
  Problem,
  Resolution,
  ResolutionPorts,
  ResolvedWork,
  SecretKeys,
  WorkflowStep,
} from './resolution.ts'
import { bindingsOf, runAccountProblem } from './run-account.ts'
import { runtimeProblem } from './runtime-problem.ts'
import { type SecretChoice, type SecretUse, secretProblem } from './secret-policy.ts'
import { skillNote, skillReferences } from './skills.ts'
import { resolveSystemPrompt } from './system-prompt.ts'
import { inputsOf, templateContext } from './template-context.ts'
import { resolveVcs } from './vcs.ts'
import { workspaceProblem } from './workspaces.ts'

/**
 * Resolves the references of the run, or of one of its steps, from caches only. For a workflow without `step`, all
 * steps are resolved: the result is the first problem of any step, else the work of the first step.
 */
export function resolveWork(
  run: AgentRun,
  step: WorkflowStep | undefined,
  ports: ResolutionPorts,
): Resolution {
  const resolution = resolveAll(run, step, ports)
  // A run may wait for days. Its status does not show its claims, so they are released for other runs.
  if (resolution.kind !== 'resolved' && !isTrue(run, 'Admitted')) ports.claims?.release(run)
  return resolution
}

function resolveAll(
  run: AgentRun,
  step: WorkflowStep | undefined,
  ports: ResolutionPorts,
): Resolution {
  const problem = runtimeProblem(run.spec) ?? duplicateProblem(run, ports)
  if (problem !== undefined) return problem
  if (step !== undefined || run.spec.runtime.type === 'job') return resolveOne(run, step, ports)
  const all = (run.spec.workflow?.steps ?? []).map((each) => resolveOne(run, each, ports))
  const [first] = all
  const refusal = all.find(({ kind }) => kind === 'refused')
  const wait = all.find(({ kind }) => kind === 'waiting')
  return refusal ?? wait ?? first ?? refused('InvalidWorkflow', 'the workflow has no steps')
}

function resolveOne(
  run: AgentRun,
  step: WorkflowStep | undefined,
  unbound: ResolutionPorts,
): Resolution {
  const named = agentOf(run, unbound)
  const own = settingsOf(run, step, named, unbound)
  // An agent that does not exist yet may specify the image.
  const mayHaveImage =
    named === undefined && 'reason' in own && own.reason === 'MissingWorkloadImage'
  if (own.kind !== 'found' && !mayHaveImage) return own
  const agentAndProvider = findAgentAndProvider(run, unbound)
  if (agentAndProvider.kind !== 'found') return agentAndProvider
  if (own.kind !== 'found') return own
  const { agent, provider } = agentAndProvider.value
  const bindings = bindingsOf(run, own.value.settings, unbound)
  if (bindings.kind !== 'found') return bindings
  const ports = { ...unbound, bindingRule: bindings.value }
  const { runner } = ports.config
  const serviceAccount = own.value.settings.serviceAccount ?? runner.serviceAccount
  const uses = [
    ...secretUses(run, agent, own.value, ports),
    ...mcpSecretUses(agent, provider).map((use) => ({ ...use, choice: 'agent' as const })),
  ]
  const forbidden =
    firstProblem(uses.map((use) => () => secretProblem(use, agent, ports, use.choice))) ??
    runAccountProblem(run, own.value.settings, agent, ports)
  if (forbidden !== undefined) return forbidden
  const task = findTask(run, step, ports)
  if (task.kind !== 'found') return task
  const { repository } = agent.spec.defaults ?? {}
  const metadata = metadataOf(own.value.parameters, task.value.implementation, repository)
  const contract = contractStatus(task.value.implementation, metadata)
  const broken = contractProblem(task.value.implementation, contract)
  if (broken !== undefined) return broken
  const given = { ...own.value, ...agentAndProvider.value, ...task.value, metadata, serviceAccount }
  const resolved = withChoices(run, step, given, ports)
  if (resolved.kind !== 'resolved') return resolved
  const absent =
    workspaceProblem(run, own.value.workload, ports) ?? dependencyProblem(run, given, uses, ports)
  if (absent !== undefined) return absent
  return contract ? { ...resolved, work: { ...resolved.work, contract } } : resolved
}

function agentOf({ metadata: { namespace }, spec }: AgentRun, { caches }: ResolutionPorts) {
  return caches.agents.get(formatKey({ namespace, name: spec.agentRef.name }))
}

/** A message about a default names the agent, because its author has to correct it. */
function settingsOf(
  run: AgentRun,
  step: WorkflowStep | undefined,
  agent: Agent | undefined,
  ports: ResolutionPorts,
): Found<OwnSettings> {
  const defaults = agent?.spec.defaults
  const settings = ownSettings(run, step, defaults ?? {}, ports)
  if (settings.kind !== 'refused' || agent === undefined || defaults === undefined) return settings
  if (ownSettings(run, step, {}, ports).kind === 'refused') return settings
  return {
    ...settings,
    message: `${settings.message} (set by spec.defaults of Agent ${agent.metadata.name})`,
  }
}

interface ChosenSecret extends SecretUse {
  readonly choice: SecretChoice
}

/** The Secrets that the run uses in the pod, or its agent or the platform on its behalf. */
function secretUses(
  { spec }: AgentRun,
  agent: Agent,
  { workload, settings }: OwnSettings,
  { config }: ResolutionPorts,
): ChosenSecret[] {
  const { name: authSecret } = config.agents.authSecret
  const use = (
    name: string | undefined,
    purpose: string,
    choice: SecretChoice = 'run',
  ): ChosenSecret[] => (name === undefined ? [] : [{ name, purpose, choice }])
  return [
    ...(spec.secrets ?? []).flatMap((name) => use(name, 'listed in secrets')),
    ...(agent.spec.defaults?.secrets ?? []).flatMap(({ name, keys = [{ key: undefined }] }) =>
      keys.map(({ key }) => ({
        name,
        purpose: 'listed in defaults.secrets of the agent',
        choice: 'agent' as const,
        ...(key !== undefined && { key }),
      })),
    ),
    ...(workload.volumes ?? []).flatMap(({ type, name, secretName }) =>
      type === 'secret' ? use(secretName, `mounted as volume ${name}`) : [],
    ),
    ...(settings.imagePullSecrets ?? []).flatMap((name) =>
      use(name, 'which pulls the image', 'not in the container'),
    ),
    ...use(authSecret, 'which the platform mounts into every run', 'platform'),
  ]
}

type Given = OwnSettings &
  AgentAndProvider &
  Task & {
    readonly metadata: Readonly<Record<string, string>>
    readonly serviceAccount: string | undefined
  }

function withChoices(
  run: AgentRun,
  step: WorkflowStep | undefined,
  given: Given,
  ports: ResolutionPorts,
): Resolution {
  const { agent, implementation, parameters, metadata, serviceAccount, ...rest } = given
  const memory = resolveMemory(run.spec, agent, ports)
  if (memory.kind !== 'found') return memory
  const systemPrompt = resolveSystemPrompt(run.spec, agent, ports)
  if (systemPrompt.kind !== 'found') return systemPrompt
  const context = templateContext({
    run,
    agent,
    implementation,
    parameters,
    inputs: inputsOf(metadata, parameters),
    memory: memory.value.memory,
  })
  const submitsWork = posix.basename(rest.provider.spec.binary) === 'agent-runner'
  const question = { run, agent, implementation, metadata, submitsWork, context }
  const vcs = resolveVcs(question, ports)
  if (vcs.kind !== 'found') return vcs
  const gitSkills = resolveGitSkills(agent, rest.provider, ports)
  if (gitSkills.kind !== 'found') return gitSkills
  const { baseBranch: base, headBranch: head } = vcs.value.vcs?.context ?? {}
  const repository = metadata.repository?.toLowerCase()
  const { defaults = {} } = agent.spec
  const ownKeys = (run.spec.secrets ?? []).flatMap((name) => keysOf(run, name, ports).keys)
  const variables = [...secretVariablesOf(defaults, ownKeys), ...mcpVariables(agent, rest.provider)]
  const work: ResolvedWork = {
    ...rest,
    agent,
    implementation,
    parameters: {
      ...(defaults.repository !== undefined && { repository: metadata.repository ?? '' }),
      ...(base && { base }),
      ...(head && { head }),
      ...parameters,
    },
    metadata: { ...(base && { base }), ...(head && { head }), ...metadata },
    ...(memory.value.memory && { memory: memory.value.memory }),
    ...(vcs.value.vcs && { vcs: vcs.value.vcs }),
    ...(gitSkills.value && { gitSkills: gitSkills.value }),
    submitsWork,
    ...(systemPrompt.value && { systemPrompt: systemPrompt.value }),
    ...(repository !== undefined && { repository }),
    ...limits(run, step, given),
    ...(serviceAccount !== undefined && { serviceAccount }),
    secrets: wholeSecrets(defaults, run.spec).map((name) => keysOf(run, name, ports)),
    ...(variables.length > 0 && { secretVariables: variables }),
    ...memoryKeys(run, memory.value.memory, ports),
    ...authSecretOf(ports),
    notes: [
      memory.value.note,
      vcs.value.note,
      systemPrompt.value && promptNote(rest.provider),
      mcpNote(agent, rest.provider),
      skillNote(agent, rest.provider),
    ].filter((note) => note !== undefined),
  }
  return { kind: 'resolved', work }
}

/**
 * The limits of the step take precedence over those of the run, and these over the agent's defaults. Only the timeout
 * of a step is its own: that of the run covers all steps.
 */
function limits({ spec }: AgentRun, step: WorkflowStep | undefined, { agent }: Given) {
  const { timeoutSeconds = 0, ...defaults } = agent.spec.defaults ?? {}
  const runTimeoutSeconds = spec.timeoutSeconds ?? timeoutSeconds
  const retryOn = step?.retryOn ?? spec.retryOn ?? defaults.retryOn
  return {
    runTimeoutSeconds,
    startTimeoutSeconds:
      spec.startTimeoutSeconds ?? defaults.startTimeoutSeconds ?? defaultStartTimeoutSeconds,
    timeoutSeconds: step === undefined ? runTimeoutSeconds : notNegative(step.timeoutSeconds),
    retries: notNegative(step?.retries ?? spec.retries ?? defaults.retryLimit),
    retryBackoffSeconds: notNegative(
      step?.retryBackoffSeconds ?? spec.retryBackoffSeconds ?? defaults.retryBackoffSeconds,
    ),
    ...(retryOn !== undefined && { retryOn }),
  }
}

function notNegative(value = 0): number {
  return Math.max(0, value)
}

function keysOf(
  { metadata: { namespace } }: AgentRun,
  name: string,
  { caches }: ResolutionPorts,
): SecretKeys {
  const { data = {} } = caches.secrets.get(formatKey({ namespace, name })) ?? {}
  return { name, keys: Object.keys(data).toSorted() }
}

/** A Memory that specifies no key refers to all keys of its Secret. */
function memoryKeys(
  run: AgentRun,
  memory: Memory | undefined,
  ports: ResolutionPorts,
): Pick<ResolvedWork, 'memoryKeys'> {
  if (memory === undefined) return {}
  const { name, key } = memory.spec.connection.secretRef
  return key === undefined ? { memoryKeys: keysOf(run, name, ports).keys } : {}
}

function authSecretOf({ config }: ResolutionPorts): Pick<ResolvedWork, 'authSecret'> {
  const { name, key, mountPath } = config.agents.authSecret
  return name === undefined ? {} : { authSecret: { name, key, mountPath } }
}

/** Checked last: a run that would be refused anyway does not wait for dependencies. */
function dependencyProblem(
  { metadata: { namespace } }: AgentRun,
  { agent, provider, implementationName }: Given,
  uses: readonly ChosenSecret[],
  ports: ResolutionPorts,
): Problem | undefined {
  const { caches, config } = ports
  const spec =
    implementationName === undefined
      ? undefined
      : caches.implementationSpecs.get(formatKey({ namespace, name: implementationName }))
  const { name: authName, key: authKey } = config.agents.authSecret
  return firstProblem([
    () => notReady('AgentProvider', provider),
    () => notReady('Agent', agent),
    () => spec && notReady('ImplementationSpec', spec),
    ...skillReferences(agent, provider).map(
      (reference) => () => keyMissing(ports, namespace, reference, 'its agent'),
    ),
    ...uses.map(({ name, key, choice }) => () => {
      const isAuth = name === authName
      const wanted = isAuth ? { key: authKey } : key === undefined ? {} : { key }
      const whose = isAuth ? 'the platform' : choice === 'agent' ? 'its agent' : 'the run'
      return keyMissing(ports, namespace, { kind: 'Secret', name, ...wanted }, whose)
    }),
  ])
}
