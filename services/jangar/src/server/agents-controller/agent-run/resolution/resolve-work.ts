import type { AgentRun, Memory } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import { isTrue } from '../gates/condition-of.ts'
import { contractProblem, contractStatus } from './contract.ts'
import { keyMissing, notReady } from './dependency.ts'
import { duplicateProblem } from './duplicate.ts'
import { resolveMemory } from './memory.ts'
import { metadataOf } from './metadata.ts'
import {
  type Doers,
  findDoers,
  findTask,
  type OwnWords,
  ownWords,
  type Task,
} from './prerequisites.ts'
import { firstProblem, refused } from './problem.ts'
import type {
  Problem,
  Resolution,
  ResolutionPorts,
  ResolvedWork,
  WorkflowStep,
} from './resolution.ts'
import { runtimeProblem } from './runtime-problem.ts'
import { type SecretUse, secretProblem, serviceAccountProblem } from './secret-policy.ts'
import { resolveSystemPrompt } from './system-prompt.ts'
import { inputsOf, templateContext } from './template-context.ts'
import { resolveVcs } from './vcs.ts'

/**
 * What the run is made of, from caches alone. With a step, what that step is made of. Without one, a workflow is asked for
 * all of its steps, and answers with the first problem of any, else with the work of its first step.
 */
export function resolveWork(
  run: AgentRun,
  step: WorkflowStep | undefined,
  ports: ResolutionPorts,
): Resolution {
  const resolution = resolveAll(run, step, ports)
  // Who waits for something may do so for days: meanwhile nobody sees what it was given, and others could use it.
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
  ports: ResolutionPorts,
): Resolution {
  const own = ownWords(run, step, ports)
  if (own.kind !== 'found') return own
  const doers = findDoers(run, ports)
  if (doers.kind !== 'found') return doers
  const { agent } = doers.value
  const { runner } = ports.config
  const serviceAccount = own.value.settings.serviceAccount ?? runner.serviceAccount
  const uses = secretUses(run, own.value, ports)
  const { blockedSecrets } = ports.config.agents.admission
  const forbidden =
    firstProblem(uses.map((use) => () => secretProblem(use, agent, blockedSecrets))) ??
    serviceAccountProblem(serviceAccount, agent)
  if (forbidden !== undefined) return forbidden
  const task = findTask(run, step, ports)
  if (task.kind !== 'found') return task
  const metadata = metadataOf(own.value.parameters, task.value.implementation)
  const contract = contractStatus(task.value.implementation, metadata)
  const broken = contractProblem(task.value.implementation, contract)
  if (broken !== undefined) return broken
  const given = { ...own.value, ...doers.value, ...task.value, metadata, serviceAccount }
  const resolved = withChoices(run, step, given, ports)
  if (resolved.kind !== 'resolved') return resolved
  const absent = dependencyProblem(run, given, uses, ports)
  if (absent !== undefined) return absent
  return contract ? { ...resolved, work: { ...resolved.work, contract } } : resolved
}

/** What Secrets the run itself, or the platform for it, puts into its pod. */
function secretUses(
  { spec }: AgentRun,
  { workload, settings }: OwnWords,
  { config }: ResolutionPorts,
): SecretUse[] {
  const { name: authSecret } = config.agents.authSecret
  const use = (name: string | undefined, purpose: string): SecretUse[] =>
    name === undefined ? [] : [{ name, purpose }]
  return [
    ...(spec.secrets ?? []).flatMap((name) => use(name, 'listed in secrets')),
    ...(workload.volumes ?? []).flatMap(({ type, name, secretName }) =>
      type === 'secret' ? use(secretName, `mounted as volume ${name}`) : [],
    ),
    ...(settings.imagePullSecrets ?? []).flatMap((name) => use(name, 'which pulls the image')),
    ...use(authSecret, 'which the platform gives to every run'),
  ]
}

type Given = OwnWords &
  Doers &
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
  const vcs = resolveVcs({ run, agent, implementation, metadata, context }, ports)
  if (vcs.kind !== 'found') return vcs
  const { baseBranch: base, headBranch: head } = vcs.value.vcs?.context ?? {}
  const repository = metadata.repository?.toLowerCase()
  const work: ResolvedWork = {
    ...rest,
    agent,
    implementation,
    parameters: { ...(base && { base }), ...(head && { head }), ...parameters },
    metadata: { ...(base && { base }), ...(head && { head }), ...metadata },
    ...(memory.value.memory && { memory: memory.value.memory }),
    ...(vcs.value.vcs && { vcs: vcs.value.vcs }),
    ...(systemPrompt.value && { systemPrompt: systemPrompt.value }),
    ...(repository !== undefined && { repository }),
    ...limits(run, step, given),
    ...(serviceAccount !== undefined && { serviceAccount }),
    secrets: secretKeys(run, memory.value.memory, ports),
    ...authSecretOf(ports),
    notes: [memory.value.note, vcs.value.note].filter((note) => note !== undefined),
  }
  return { kind: 'resolved', work }
}

/** The run's word goes before the agent's. A step has its own, for each of its attempts. */
function limits({ spec }: AgentRun, step: WorkflowStep | undefined, { agent }: Given) {
  const { timeoutSeconds = 0, retryLimit = 0, retryBackoffSeconds = 0 } = agent.spec.defaults ?? {}
  const runTimeoutSeconds = spec.timeoutSeconds ?? timeoutSeconds
  if (step !== undefined) {
    return {
      runTimeoutSeconds,
      timeoutSeconds: notNegative(step.timeoutSeconds),
      retries: notNegative(step.retries),
      retryBackoffSeconds: notNegative(step.retryBackoffSeconds),
    }
  }
  return {
    runTimeoutSeconds,
    timeoutSeconds: runTimeoutSeconds,
    retries: spec.retries ?? retryLimit,
    retryBackoffSeconds: spec.retryBackoffSeconds ?? retryBackoffSeconds,
  }
}

function notNegative(value = 0): number {
  return Math.max(0, value)
}

/** A Memory that names no key of its Secret means all of them. */
function secretKeys(
  { metadata: { namespace }, spec }: AgentRun,
  memory: Memory | undefined,
  { caches }: ResolutionPorts,
) {
  const { name: ofMemory, key } = memory?.spec.connection.secretRef ?? {}
  const names = new Set(spec.secrets)
  if (ofMemory !== undefined && key === undefined) names.add(ofMemory)
  return [...names].map((name) => ({
    name,
    keys: Object.keys(caches.secrets.get(formatKey({ namespace, name }))?.data ?? {}).toSorted(),
  }))
}

function authSecretOf({ config }: ResolutionPorts): Pick<ResolvedWork, 'authSecret'> {
  const { name, key, mountPath } = config.agents.authSecret
  return name === undefined ? {} : { authSecret: { name, key, mountPath } }
}

/** Asked last: what can never be is not worth waiting for. */
function dependencyProblem(
  { metadata: { namespace } }: AgentRun,
  { agent, provider, implementationName }: Given,
  uses: readonly SecretUse[],
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
    ...uses.map(({ name }) => () => {
      const key = name === authName ? { key: authKey } : {}
      const whose = name === authName ? 'the platform' : 'the run'
      return keyMissing(ports, namespace, { kind: 'Secret', name, ...key }, whose)
    }),
  ])
}
