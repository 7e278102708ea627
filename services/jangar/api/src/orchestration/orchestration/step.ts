import {
  boolean,
  freeObject,
  freeValue,
  integer,
  list,
  map,
  object,
  oneOfStrings,
  optional,
  string,
} from '@agents/crd'
import { int32 } from '../../integer.ts'
import { looseLocalRef } from '../../reference.ts'

/** Fields of the AgentRun that a step of kind AgentRun creates. The schema of AgentRun validates them, not this one. */
const agentRunFields = {
  agentRef: optional(looseLocalRef('For AgentRun: the Agent that executes the run.')),
  implementationSpecRef: optional(
    looseLocalRef('For AgentRun: the ImplementationSpec to execute.'),
  ),
  implementation: optional(
    freeObject('For AgentRun: the inline implementation, as in the spec of an AgentRun.'),
  ),
  runtime: optional(
    object(
      'For AgentRun: the runtime, as in the spec of an AgentRun.',
      {
        type: optional(string('Type of the runtime. If omitted, defaults to job.')),
        config: optional(freeObject('Settings of the runtime.')),
      },
      { 'x-kubernetes-preserve-unknown-fields': true },
    ),
  ),
  workload: optional(freeObject('For AgentRun: the container, as in the spec of an AgentRun.')),
  workflow: optional(freeObject('For AgentRun: the steps, as in the spec of an AgentRun.')),
  memoryRef: optional(
    looseLocalRef(
      'For AgentRun and MemoryOp: the Memory to use. If omitted for MemoryOp, the default Memory of the namespace.',
    ),
  ),
  secrets: optional(
    list('For AgentRun: the Secrets to use.', string('Name of a Secret in the same namespace.')),
  ),
}

const forEach = object('A loop: the step runs once for each item of a list.', {
  items: optional(
    list('The items, at most 256. Set items or from.', freeValue('An item: any value.')),
  ),
  from: optional(
    string(
      'Path of the list in a parameter or an output, such as parameters.files or steps.plan.outputs.files. A text is read as JSON.',
    ),
  ),
  maxParallel: optional(
    integer('How many items run at the same time. If omitted, as many as the policies allow.', {
      format: 'int32',
      minimum: 1,
    }),
  ),
})

export const orchestrationStep = object(
  'A step. It starts when all steps that it depends on have succeeded.',
  {
    name: string('Name of the step, unique within the graph.'),
    kind: string(
      'Kind of the step: AgentRun, ToolRun, SubOrchestration, ApprovalGate, SignalWait, Checkpoint or MemoryOp. Others are refused.',
    ),
    dependsOn: optional(
      list('Steps that must succeed before this one starts.', string('Name of another step.')),
    ),
    runAfter: optional(
      oneOfStrings(
        'Succeeded starts the step when all steps of dependsOn have succeeded, Finished when they have ended in any way. If omitted, defaults to Succeeded.',
        ['Succeeded', 'Finished'],
      ),
    ),
    finally: optional(
      boolean(
        'If true, the step runs after all others have ended, whatever the outcome of the run, and does not change that outcome.',
      ),
    ),
    when: optional(
      string(
        'CEL expression over parameters, steps.NAME.outputs and steps.NAME.outcome. If false, the step is skipped.',
      ),
    ),
    forEach: optional(forEach),
    ...agentRunFields,
    toolRef: optional(looseLocalRef('For ToolRun: the Tool to run.')),
    orchestrationRef: optional(looseLocalRef('For SubOrchestration: the Orchestration to run.')),
    policyRef: optional(string('For ApprovalGate: name of the ApprovalPolicy.')),
    signalRef: optional(
      freeValue('For SignalWait: the Signal to wait for, by name or as an object with a name.'),
    ),
    deliveryId: optional(string('For SignalWait: wait for the delivery with this identifier.')),
    match: optional(
      string(
        'For SignalWait: CEL expression over the payload of a delivery. Deliveries for which it is false are ignored.',
      ),
    ),
    with: optional(
      map(
        'Parameters of the object that the step creates; for Checkpoint its outputs; for MemoryOp op, which is put, get or search, and key, value, query or limit. Templates such as {{ parameters.x }} and {{ steps.plan.outputs.branch }} are filled in.',
        string('Value of the parameter.'),
      ),
    ),
    retries: optional(int32('Number of retries after a failure.')),
    retryBackoffSeconds: optional(int32('Seconds to wait before a retry.')),
    timeoutSeconds: optional(int32('Timeout of one attempt in seconds. 0: no timeout.')),
  },
  { 'x-kubernetes-preserve-unknown-fields': true },
)
