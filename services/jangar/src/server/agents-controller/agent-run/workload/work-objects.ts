import type { AgentRun } from '@agents/jangar-api'
import { type ConfigMap, type Job, type New, stringifyJson } from '@agents/kube'
import { annotations, labels, labelValue } from '../../labels.ts'
import type { AgentsPorts } from '../../ports.ts'
import { refused } from '../resolution/problem.ts'
import type { Refused, ResolvedWork } from '../resolution/resolution.ts'
import { inputsOf, templateContext } from '../resolution/template-context.ts'
import { commandProblem, environment, secretVariables } from './environment.ts'
import { type FilledProvider, fillProvider } from './filled-provider.ts'
import { jobSpec } from './job-spec.ts'
import { inputKey, podVolumes } from './pod-volumes.ts'
import { runDocument, runnerDocument } from './run-documents.ts'
import { SYSTEM_PROMPT_FILE } from './system-prompt-path.ts'
import { configMapName, jobName } from './work-names.ts'

/** Which Job of the run. */
export interface WorkOf {
  readonly run: AgentRun
  /** `index` counts from 1. */
  readonly step?: { readonly name: string; readonly index: number }
  /** Counts from 1. */
  readonly attempt: number
  /** What earlier steps reported, in order; templates find it in `inputs`, where parameters outrank it. */
  readonly stepOutputs?: readonly StepOutputs[]
}

/** By the name of the step: a list, since an object would put names that are numbers into an order of their own. */
export type StepOutputs = readonly [step: string, outputs: Readonly<Record<string, string>>]

/** To be created in this order, ConfigMaps first; their names are the same each time. The caller adds the owner. */
export interface WorkObjects {
  readonly kind: 'objects'
  readonly configMaps: readonly Named<ConfigMap>[]
  readonly job: Named<Job>
  /** Names of the ConfigMaps that the attempt before this one had, or would have had. */
  readonly superseded: readonly string[]
}

export type Named<T extends ConfigMap | Job> = New<T> & { metadata: { name: string } }

/** The Job that carries the work, or why there can be none. */
export function workObjects(
  work: ResolvedWork,
  of: WorkOf,
  config: AgentsPorts['config'],
  /** Of an attempt, by its Job. Not given: there are no traces. */
  traceparent?: (run: AgentRun, job: string) => string,
): WorkObjects | Refused {
  const { stepOutputs = [] } = of
  const reported = Object.fromEntries(stepOutputs.flatMap(([, outputs]) => Object.entries(outputs)))
  const inputs = inputsOf(work.metadata, work.parameters, reported)
  const context = templateContext({ ...work, run: of.run, inputs, vcs: work.vcs?.context })
  const provider = fillProvider(work.provider, context)
  if (provider.kind !== 'found') return provider
  const filled = provider.value
  const names = namesOf(of)
  const env = environment(work, filled, config, traceparent?.(of.run, names.job))
  const mounted = podVolumes(work, filled, names)
  if (mounted.kind !== 'found') return mounted
  const runner = runnerDocument(work, inputs, secretVariables(work, env), config)
  const metadata = objectMetadata(work, of)
  const configMaps = [
    configMap(names.spec, metadata, {
      'run.json': stringifyJson(runDocument(work, of, context)),
      'agent-runner.json': stringifyJson(runner),
      ...(work.systemPrompt?.kind === 'inline' && { [SYSTEM_PROMPT_FILE]: work.systemPrompt.text }),
    }),
    ...inputsConfigMap(names.inputs, metadata, filled),
  ]
  const problem = commandProblem(work, filled, env) ?? sizeProblem(configMaps)
  if (problem !== undefined) return problem
  const { namespace: _own, ...podMetadata } = metadata
  const spec = jobSpec(work, { args: filled.args, env, ...mounted.value }, podMetadata, config)
  const job = { metadata: { ...metadata, name: names.job }, spec }
  return { kind: 'objects', configMaps, job, superseded: supersededBy(of) }
}

function namesOf({ run, step, attempt }: WorkOf) {
  const { name } = run.metadata
  const which = { attempt, ...(step && { stepIndex: step.index }) }
  return {
    job: jobName(name, which),
    spec: configMapName(name, 'spec', which),
    inputs: configMapName(name, 'inputs', which),
  }
}

function supersededBy(of: WorkOf): readonly string[] {
  if (of.attempt === 1) return []
  const { spec, inputs } = namesOf({ ...of, attempt: of.attempt - 1 })
  return [spec, inputs]
}

function objectMetadata(work: ResolvedWork, { run, step, attempt }: WorkOf) {
  const { name, namespace } = run.metadata
  const label = labelValue(name)
  return {
    ...(namespace !== undefined && { namespace }),
    labels: {
      [labels.agentRun]: label,
      [labels.agent]: labelValue(work.agent.metadata.name),
      [labels.provider]: labelValue(work.provider.metadata.name),
      ...(work.implementationName !== undefined && {
        [labels.implementation]: labelValue(work.implementationName),
      }),
      ...(step && { [labels.step]: labelValue(step.name), [labels.stepIndex]: `${step.index}` }),
      [labels.attempt]: `${attempt}`,
    },
    ...(label !== name && { annotations: { [annotations.agentRun]: name } }),
  }
}

function inputsConfigMap(
  name: string,
  metadata: ReturnType<typeof objectMetadata>,
  { files }: FilledProvider,
): Named<ConfigMap>[] {
  if (files.length === 0) return []
  const data = files.map(({ content }, index) => [inputKey(index), content])
  return [configMap(name, metadata, Object.fromEntries(data))]
}

/** Cannot be changed, so that it stays a record of what the attempt was told. */
function configMap(
  name: string,
  metadata: ReturnType<typeof objectMetadata>,
  data: Record<string, string>,
): Named<ConfigMap> {
  return { metadata: { ...metadata, name }, immutable: true, data }
}

/** In bytes; what Kubernetes takes as the content of one ConfigMap. */
export const LARGEST_CONFIG_MAP = 1024 * 1024

function sizeProblem(configMaps: readonly Named<ConfigMap>[]): Refused | undefined {
  for (const { metadata, data = {} } of configMaps) {
    const bytes = Object.values(data).reduce((sum, text) => sum + Buffer.byteLength(text), 0)
    if (bytes <= LARGEST_CONFIG_MAP) continue
    return refused(
      'WorkTooLarge',
      `ConfigMap ${metadata.name} would have ${bytes} bytes, and at most ${LARGEST_CONFIG_MAP} are allowed; shorten the work's text or the provider's input files`,
    )
  }
  return undefined
}
