import type { AgentRun } from '@agents/jangar-api'
import { type EnvVar, stringifyJson } from '@agents/kube'
import { configMapName, jobName } from '../../../jobs/attempt-names.ts'
import type { AttemptObjects } from '../../../jobs/attempt-objects.ts'
import { annotations, labels, labelValue } from '../../../kubernetes/labels.ts'
import type { AgentsPorts } from '../../ports.ts'
import type { Refused, ResolvedWork } from '../resolve/resolution.ts'
import { inputsOf, templateContext } from '../resolve/template-context.ts'
import { deliverDocuments } from './attempt-documents.ts'
import { documentCheck } from './documents-container.ts'
import { commandProblem, environment, secretVariables } from './environment.ts'
import { type FilledProvider, fillProvider } from './filled-provider.ts'
import { jobSpec } from './job-spec.ts'
import type { VerifiedVolume } from './mapped-volumes.ts'
import { inputKey, podVolumes } from './pod-volumes.ts'
import { repositoryContainers } from './repository-containers.ts'
import { runDocument, runnerDocument } from './run-documents.ts'
import { skillsContainer } from './skills-container.ts'
import { systemPromptFile } from './system-prompt-path.ts'
import { uploadAccess } from './upload-access.ts'

/** Identifies one Job of the run. */
export interface WorkOf {
  readonly run: AgentRun
  /** `index` counts from 1. */
  readonly step?: { readonly name: string; readonly index: number }
  /** Counts from 1. */
  readonly attempt: number
  /** Outputs of earlier steps, in order. Templates find them in `inputs`, where parameters override them. */
  readonly stepOutputs?: readonly StepOutputs[]
  /** What files of ConfigMaps have to contain, if the run needs an approval. */
  readonly verified?: readonly VerifiedVolume[]
}

/** The outputs of a step. A list keeps the order of steps; an object would sort numeric names first. */
export type StepOutputs = readonly [step: string, outputs: Readonly<Record<string, string>>]

/** The objects of one attempt. */
export interface WorkObjects extends AttemptObjects {
  readonly kind: 'objects'
}

/** The objects of one attempt, or why they cannot be built. */
export function workObjects(
  work: ResolvedWork,
  of: WorkOf,
  config: AgentsPorts['config'],
  /** The trace context of an attempt, by the name of its Job. If omitted, tracing is disabled. */
  traceparent?: (run: AgentRun, job: string) => string,
): WorkObjects | Refused {
  const { stepOutputs = [], verified = [] } = of
  const reported = Object.fromEntries(stepOutputs.flatMap(([, outputs]) => Object.entries(outputs)))
  const inputs = inputsOf(work.metadata, work.parameters, reported)
  const context = templateContext({ ...work, run: of.run, inputs, vcs: work.vcs?.context })
  const provider = fillProvider(work.provider, context)
  if (provider.kind !== 'found') return provider
  const filled = provider.value
  const names = namesOf(of)
  const repository = repositoryContainers(work, of.run.metadata, context, config)
  if (repository.kind !== 'found') return repository
  const skills = skillsContainer(work, config)
  if (skills.kind !== 'found') return skills
  const upload = uploadAccess(work, config)
  const env = environment(work, filled, config, traceparent?.(of.run, names.job), [
    ...(repository.value?.agentEnv ?? []),
    ...(skills.value?.agentEnv ?? []),
    ...(upload?.env ?? []),
  ])
  const runner = runnerDocument(work, inputs, secretVariables(work, env), config)
  const metadata = objectMetadata(work, of)
  const documents = deliverDocuments(
    {
      spec: {
        'run.json': stringifyJson(runDocument(work, of, context)),
        'agent-runner.json': stringifyJson(runner),
        ...(work.systemPrompt?.kind === 'inline' && { [systemPromptFile]: work.systemPrompt.text }),
      },
      inputs: inputDocuments(filled),
    },
    names,
    metadata,
  )
  if (documents.kind !== 'found') return documents
  const check = documentCheck(work, filled, documents.value, verified, config)
  if (check.kind !== 'found') return check
  const verifier = { volumes: check.value.volumes, agentMounts: [] }
  const beside = [repository.value, skills.value, verifier].filter((one) => one !== undefined)
  const mounted = podVolumes(work, filled, check.value, beside, upload?.volume, verified)
  if (mounted.kind !== 'found') return mounted
  const verifiedEnv = withLast(env, check.value.agentEnv)
  const problem = commandProblem(work, filled, [
    ...verifiedEnv,
    ...(check.value.container?.env ?? []),
  ])
  if (problem !== undefined) return problem
  const { namespace: _own, ...podMetadata } = metadata
  const spec = jobSpec(
    work,
    {
      args: filled.args,
      env: verifiedEnv,
      ...mounted.value,
      repository: repository.value,
      skills: skills.value,
      documents: check.value.container,
    },
    withAnnotations(podMetadata, documents.value.annotations),
    config,
  )
  const job = { metadata: { ...metadata, name: names.job }, spec }
  return {
    kind: 'objects',
    configMaps: documents.value.configMaps,
    job,
    superseded: supersededBy(of),
  }
}

/** Variables that nothing else can set. */
function withLast(variables: readonly EnvVar[], last: readonly EnvVar[]): EnvVar[] {
  const names = new Set(last.map(({ name }) => name))
  return [...variables.filter(({ name }) => !names.has(name)), ...last]
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

function inputDocuments({ files }: FilledProvider): Record<string, string> {
  return Object.fromEntries(files.map(({ content }, index) => [inputKey(index), content]))
}

function withAnnotations<M extends { readonly annotations?: Readonly<Record<string, string>> }>(
  metadata: M,
  annotations: Readonly<Record<string, string>>,
) {
  if (Object.keys(annotations).length === 0) return metadata
  return { ...metadata, annotations: { ...metadata.annotations, ...annotations } }
}
