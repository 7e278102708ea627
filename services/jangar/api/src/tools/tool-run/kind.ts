import {
  atomic,
  boolean,
  defineKind,
  freeObject,
  integer,
  map,
  type ObjectOf,
  object,
  optional,
  statusObject,
  string,
  timestamp,
  withRules,
} from '@agents/crd'
import { group, platform } from '../../group.ts'
import { cancelIsFinal, immutableFields, specStays } from '../../immutable.ts'
import { int32, nonNegativeInt32 } from '../../integer.ts'
import {
  completionTime,
  nextRetry,
  phase,
  queuePosition,
  startTime,
  succeeded,
  succeededMessage,
  succeededReason,
} from '../../printer-column.ts'
import { queue } from '../../queue.ts'
import { localRef } from '../../reference.ts'
import { runPolicy } from '../../run-policy.ts'
import { runRules } from '../../run-rules.ts'
import { phaseField, runTimes } from '../../status-field.ts'
import { toolRunConditions } from './conditions.ts'
import { memoryOperation } from './memory-operation.ts'
import { toolRunPhase } from './phase.ts'

const unchanged = immutableFields(
  [
    'toolRef',
    'memory',
    'parameters',
    'deliveryId',
    'policy',
    'priority',
    'timeoutSeconds',
    'retries',
    'retryBackoffSeconds',
  ],
  'the field is immutable: only cancel and ttlSecondsAfterFinished of a run can be changed; create another run instead',
)

export const toolRun = defineKind({
  ...platform,
  group: group.tools,
  kind: 'ToolRun',
  plural: 'toolruns',
  shortNames: ['tr'],
  description: 'A run of a Tool.',
  spec: withRules(
    object('Specification of the run. Immutable, except for cancel and ttlSecondsAfterFinished.', {
      toolRef: optional(localRef('The Tool to run.')),
      memory: optional(memoryOperation),
      parameters: optional(
        map(
          'Parameters of the Tool. Names consist of letters, digits, _ and -.',
          string('Value of the parameter; at most 2048 bytes.'),
          { maxProperties: 100 },
        ),
      ),
      deliveryId: optional(
        string('Identifies the request: a second run of the Tool with the same id is rejected.'),
      ),
      runtime: optional(
        freeObject('Settings of the runtime. Stored as they are, and not interpreted.'),
      ),
      policy: optional(runPolicy),
      priority: optional(
        integer('Priority in the queue; higher values go first. If omitted, defaults to 0.', {
          format: 'int32',
        }),
      ),
      timeoutSeconds: optional(
        nonNegativeInt32(
          'Timeout of the run in seconds, counted from its start; all attempts count. 0: no timeout. If omitted, defaults to that of the Tool.',
        ),
      ),
      retries: optional(
        nonNegativeInt32(
          'Number of retries after a failure. If omitted, defaults to that of the Tool.',
        ),
      ),
      retryBackoffSeconds: optional(
        nonNegativeInt32(
          'Seconds to wait before the first retry, twice as long before each further one, up to an hour; a random part of up to a quarter is added. If omitted, defaults to that of the Tool.',
        ),
      ),
      cancel: optional(
        boolean('If true, the run is stopped and finishes as Cancelled. Cannot be reverted.'),
      ),
      ttlSecondsAfterFinished: optional(
        nonNegativeInt32(
          'Seconds after which the finished run is deleted. 0: never. If omitted, defaults to the setting of the platform, which is 30 days by default.',
        ),
      ),
    }),
    cancelIsFinal,
    unchanged,
    {
      rule: 'has(self.toolRef) != has(self.memory)',
      message: 'name the Tool to run',
      reason: 'FieldValueRequired',
      fieldPath: '.toolRef',
    },
  ),
  specOptional: true,
  rules: [specStays],
  status: withRules(
    statusObject({
      phase: phaseField(toolRunPhase),
      ...runTimes,
      runId: optional(string('Reserved, and not set: metadata.uid identifies the run.')),
      queue: optional(atomic(queue)),
      attempts: optional(nonNegativeInt32('Number of attempts that were started.')),
      exitCode: optional(int32('Exit code of the last attempt that finished.')),
      nextRetryAt: optional(
        timestamp('When the next attempt starts. Set only while the run waits for it.'),
      ),
      outputs: optional(
        atomic(
          freeObject(
            'Values that the program reported: the JSON object that it wrote to the file $TOOL_OUTPUTS.',
          ),
        ),
      ),
      runtimeRef: optional(
        atomic(
          freeObject(
            'The object that executes the run: type, name, namespace, uid, and fields of the runtime.',
          ),
        ),
      ),
    }),
    ...runRules(toolRunConditions),
  ),
  columns: [
    phase,
    { name: 'Tool', type: 'string', jsonPath: '.spec.toolRef.name' },
    succeeded,
    succeededReason,
    startTime,
    completionTime,
    nextRetry,
    queuePosition,
    succeededMessage,
  ],
  summary: 'Succeeded',
})

export type ToolRun = ObjectOf<typeof toolRun>
