import { nameOfSignal } from '../../supporting-primitives-controller/signal/name-of-signal.ts'
import type { Problem } from '../expressions/problem.ts'
import { type GraphLoop, type GraphStep, type RawStep, type StepKind, stepKinds } from './graph.ts'
import { isCount } from './is-count.ts'
import { wrongMemoryStep } from './memory-step.ts'
import { nameOfAgent } from './references.ts'
import { incomplete, invalid, type Wrong } from './wrong-step.ts'

type ReadStep =
  | { readonly ok: true; readonly step: GraphStep }
  | { readonly ok: false; readonly problem: Problem }

/** Kinds of steps that create an object for each item. */
const loopKinds: readonly StepKind[] = ['AgentRun', 'ToolRun', 'SubOrchestration', 'MemoryOp']
const mostItems = 256
/** The name of a step is the value of a label of what it creates. */
const labelValue = /^[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?$/

/** Reads a step by itself: its dependencies, templates and expressions are not checked. */
export function readStep(inputs: RawStep, path: string): ReadStep {
  const wrong = wrongName(inputs) ?? wrongKind(inputs) ?? wrongField(inputs) ?? wrongLoop(inputs)
  if (wrong !== undefined) {
    const { reason, field, message } = wrong
    return { ok: false, problem: { reason, path: `${path}.${field}`, message } }
  }
  return {
    ok: true,
    step: {
      name: inputs.name,
      kind: inputs.kind as StepKind,
      dependsOn: [...new Set(inputs.dependsOn)],
      runAfter: inputs.runAfter ?? 'Succeeded',
      finally: inputs.finally ?? false,
      when: inputs.when,
      match: inputs.match,
      forEach: inputs.forEach && loopOf(inputs.forEach),
      retries: inputs.retries ?? 0,
      retryBackoffSeconds: inputs.retryBackoffSeconds ?? 0,
      timeoutSeconds: inputs.timeoutSeconds ?? 0,
      inputs,
    },
  }
}

function loopOf({ items, from, maxParallel }: NonNullable<RawStep['forEach']>): GraphLoop {
  return { list: items ? { items } : { from: from ?? '' }, maxParallel }
}

function wrongName({ name }: RawStep): Wrong | undefined {
  if (name === '') {
    return { reason: 'StepMissingName', field: 'name', message: 'the step has no name' }
  }
  return labelValue.test(name)
    ? undefined
    : invalid(
        'name',
        'must be at most 63 letters, digits, -, _ and ., and start and end with a letter or digit',
      )
}

function wrongKind(step: RawStep): Wrong | undefined {
  const { kind } = step
  const kinds: readonly string[] = stepKinds
  if (!kinds.includes(kind)) {
    const message = `steps of kind ${kind === '' ? "''" : kind} cannot be run; use ${kinds.join(', ')}`
    return { reason: 'UnsupportedStep', field: 'kind', message }
  }
  return missingField(step, kind as StepKind)
}

function missingField(step: RawStep, kind: StepKind): Wrong | undefined {
  switch (kind) {
    case 'AgentRun':
      if (!nameOfAgent(step)) return incomplete('agentRef', 'name the Agent that executes the run')
      return step.implementation || step.implementationSpecRef?.name
        ? undefined
        : incomplete('implementation', 'set implementation or implementationSpecRef')
    case 'ToolRun':
      return step.toolRef?.name ? undefined : incomplete('toolRef', 'name the Tool to run')
    case 'SubOrchestration':
      return step.orchestrationRef?.name
        ? undefined
        : incomplete('orchestrationRef', 'name the Orchestration to run')
    case 'ApprovalGate':
      return step.policyRef ? undefined : incomplete('policyRef', 'name the ApprovalPolicy')
    case 'SignalWait':
      return nameOfSignal(step) || (step.signalRef === undefined && step.deliveryId)
        ? undefined
        : incomplete('signalRef', 'name the Signal to wait for')
    case 'Checkpoint':
      return undefined
    case 'MemoryOp':
      return wrongMemoryStep(step)
  }
}

function wrongField(step: RawStep): Wrong | undefined {
  const { runAfter, when, match } = step
  for (const name of ['retries', 'retryBackoffSeconds', 'timeoutSeconds'] as const) {
    if (step[name] !== undefined && !isCount(step[name])) {
      return invalid(name, 'must be a whole number, 0 or more')
    }
  }
  if (step.finally !== undefined && typeof step.finally !== 'boolean') {
    return invalid('finally', 'must be true or false')
  }
  if (runAfter !== undefined && runAfter !== 'Succeeded' && runAfter !== 'Finished') {
    return invalid('runAfter', 'must be Succeeded or Finished')
  }
  if (when !== undefined && typeof when !== 'string') return invalid('when', 'must be a text')
  if (match !== undefined && typeof match !== 'string') return invalid('match', 'must be a text')
  if (match !== undefined && step.kind !== 'SignalWait') {
    return invalid('match', 'can be used in a step of kind SignalWait only')
  }
  return undefined
}

function wrongLoop({ kind, forEach }: RawStep): Wrong | undefined {
  if (forEach === undefined) return undefined
  if (!loopKinds.includes(kind as StepKind)) {
    return invalid('forEach', `can be used in steps of kind ${loopKinds.join(', ')} only`)
  }
  const { items, from, maxParallel } = forEach
  if ((items === undefined) === (from === undefined)) {
    return invalid('forEach', 'set items or from, and only one of them')
  }
  if (items !== undefined && !Array.isArray(items))
    return invalid('forEach.items', 'must be a list')
  if (from !== undefined && typeof from !== 'string') {
    return invalid('forEach.from', 'must be a path such as steps.plan.outputs.files')
  }
  if (maxParallel !== undefined && !(isCount(maxParallel) && maxParallel > 0)) {
    return invalid('forEach.maxParallel', 'must be a whole number, 1 or more')
  }
  if (items === undefined || items.length <= mostItems) return undefined
  const message = `the loop has ${items.length} items; at most ${mostItems} are allowed`
  return { reason: 'LoopLimit', field: 'forEach.items', message }
}
