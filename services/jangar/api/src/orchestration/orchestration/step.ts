import { freeObject, freeValue, list, map, object, optional, string } from '@agents/crd'
import { int32 } from '../../integer.ts'
import { looseLocalRef } from '../../reference.ts'

/** What a step of kind AgentRun hands to the run that it creates. The schema of AgentRun judges it then, not this one. */
const agentRunFields = {
  agentRef: optional(looseLocalRef('For AgentRun: the Agent that does the work.')),
  implementationSpecRef: optional(
    looseLocalRef('For AgentRun: the ImplementationSpec that says what to do.'),
  ),
  implementation: optional(
    freeObject('For AgentRun: what to do, written out, as in an AgentRun’s spec.'),
  ),
  runtime: optional(
    object(
      'For AgentRun: how the work is run, as in an AgentRun’s spec.',
      {
        type: optional(string('Which runtime; left out, job.')),
        config: optional(freeObject('Settings of the runtime.')),
      },
      { 'x-kubernetes-preserve-unknown-fields': true },
    ),
  ),
  workload: optional(freeObject('For AgentRun: its container, as in an AgentRun’s spec.')),
  workflow: optional(freeObject('For AgentRun: its steps, as in an AgentRun’s spec.')),
  memoryRef: optional(looseLocalRef('For AgentRun: the Memory to use.')),
  secrets: optional(
    list('For AgentRun: the Secrets to use.', string('Name of a Secret in the same namespace.')),
  ),
}

export const orchestrationStep = object(
  'One step; starts when all steps that it depends on have succeeded.',
  {
    name: string('Name of the step, different from all others.'),
    kind: string(
      'What the step does: AgentRun, ToolRun, SubOrchestration, ApprovalGate, SignalWait, Checkpoint or MemoryOp.',
    ),
    dependsOn: optional(
      list('Steps that must have succeeded before.', string('Name of another step.')),
    ),
    ...agentRunFields,
    toolRef: optional(looseLocalRef('For ToolRun: the Tool to run.')),
    orchestrationRef: optional(looseLocalRef('For SubOrchestration: the Orchestration to run.')),
    policyRef: optional(string('For ApprovalGate: name of the ApprovalPolicy.')),
    signalRef: optional(
      freeValue('For SignalWait: the Signal to wait for, by name or as an object with a name.'),
    ),
    deliveryId: optional(string('For SignalWait: wait for the delivery with this identifier.')),
    with: optional(map('Parameters of what the step starts.', string('Value of the parameter.'))),
    retries: optional(int32('How often the step is tried again after it failed.')),
    retryBackoffSeconds: optional(int32('How long to wait before trying again.')),
    timeoutSeconds: optional(int32('How long one attempt may take; 0 means no limit.')),
  },
  { 'x-kubernetes-preserve-unknown-fields': true },
)
