import {
  atomic,
  boolean,
  freeObject,
  list,
  map,
  object,
  oneOfStrings,
  optional,
  statusObject,
  string,
  timestamp,
  withRules,
} from '@agents/crd'
import { int32, nonNegativeInt32, nonNegativeInt64 } from '../../integer.ts'
import { queue } from '../../queue.ts'
import { runRules } from '../../run-rules.ts'
import { attemptTimes, phaseField, runTimes } from '../../status-field.ts'
import { artifactLocation } from '../artifact-location.ts'
import { agentRunConditions } from './conditions.ts'
import { agentRunPhase } from './phase.ts'
import { pullRequestStatus } from './pull-request.ts'

const workflowStep = object('Status of a step.', {
  name: optional(string('Name of the step.')),
  phase: optional(string('Pending, Running, Retrying, Succeeded or Failed.')),
  attempt: optional(int32('Number of the attempt, counted from 1.')),
  ...attemptTimes,
  jobObservedAt: optional(timestamp('When the Job of the attempt was created.')),
  lastTransitionTime: optional(timestamp('When the phase last changed.')),
  message: optional(string('Details about the state of the step.')),
  nextRetryAt: optional(timestamp('When the next attempt starts.')),
  outputs: optional(
    map('Values that the step reported for later steps.', string('Reported value.')),
  ),
  jobRef: optional(
    object('The Job of the attempt.', {
      name: optional(string('Name of the Job.')),
      namespace: optional(string('Namespace of the Job.')),
      uid: optional(string('UID of the Job.')),
    }),
  ),
})

const workflow = object('Status of the steps, for runtime type workflow.', {
  phase: optional(string('Running, Succeeded or Failed.')),
  lastTransitionTime: optional(timestamp('When the phase last changed.')),
  steps: optional(list('Status of each step, in order.', workflowStep)),
})

const tokenFields = {
  inputTokens: optional(nonNegativeInt64('Input tokens.')),
  cachedInputTokens: optional(
    nonNegativeInt64('Input tokens that were read from a cache; part of inputTokens.'),
  ),
  outputTokens: optional(nonNegativeInt64('Output tokens.')),
  totalTokens: optional(nonNegativeInt64('Input and output tokens.')),
}

const usageFields = {
  ...tokenFields,
  dollars: optional(string('Cost in US dollars, as a decimal number.')),
  turns: optional(nonNegativeInt64('Answers of models, as far as the agent shows them.')),
  toolCalls: optional(nonNegativeInt64('Calls of tools, as far as the agent shows them.')),
  models: optional(
    list(
      'The part of each model, as far as the agent reports it; the largest first.',
      object('Tokens of a model.', {
        model: string('Name of the model, as the agent reports it.'),
        ...tokenFields,
      }),
    ),
  ),
}

const usage = object('Usage reported by the agent, of all attempts that ended.', usageFields)

const progress = object(
  'What the running attempt has used so far. Becomes part of usage when the attempt ends.',
  {
    job: optional(string('Name of the Job of the attempt.')),
    reportedAt: optional(timestamp('When the agent reported it.')),
    ...usageFields,
  },
)

const vcs = object('The repository that the run worked in.', {
  provider: optional(string('Name of the VersionControlProvider.')),
  repository: optional(string('The repository, as owner/name.')),
  baseBranch: optional(string('The branch that the work is based on.')),
  headBranch: optional(
    string(
      'The branch that the work is pushed to. Removed when the run finishes without having pushed.',
    ),
  ),
  commit: optional(string('The commit that was pushed, or that the work is based on.')),
  pushed: optional(boolean('Whether the work was pushed; verified by the publisher.')),
  filesChanged: optional(nonNegativeInt64('Number of files that the pushed commits change.')),
  insertions: optional(nonNegativeInt64('Number of lines that the pushed commits add.')),
  deletions: optional(nonNegativeInt64('Number of lines that the pushed commits remove.')),
  bundle: optional(string('Location of the work if it could not be pushed.')),
  mode: optional(
    oneOfStrings('Access that the run had to the repository.', ['read-write', 'read-only', 'none']),
  ),
  autoMerge: optional(
    boolean(
      'Whether the provider asked for merging automatically when the run was accepted, and so with the pushPolicy that the run has.',
    ),
  ),
  pullRequest: optional(pullRequestStatus),
})

const contract = object('Metadata that the contract of the implementation requires.', {
  requiredKeys: optional(list('Required keys.', string('A key.'))),
  missingKeys: optional(list('Required keys that are missing.', string('A key.'))),
})

/** Only the controllers write the status, so its objects are atomic. Conditions stay a list by type. */
export const agentRunStatus = withRules(
  statusObject({
    phase: phaseField(agentRunPhase),
    ...runTimes,
    queue: optional(atomic(queue)),
    attempts: optional(nonNegativeInt32('Number of attempts that were started.')),
    exitCode: optional(int32('Exit code of the last attempt that finished.')),
    failureClass: optional(
      string(
        'Class of the failure of the last attempt that finished: one that spec.retryOn can list, or InvalidSpec or Policy, which are never retried. Removed when an attempt succeeds.',
      ),
    ),
    nextRetryAt: optional(
      timestamp('When the next attempt starts. Set only while the run waits for it.'),
    ),
    summary: optional(string('Last message of the agent, shortened.')),
    outputs: optional(
      atomic(
        map(
          'Values that the program reported; for a workflow, those of the last step that reported any.',
          string('Reported value.'),
        ),
      ),
    ),
    skills: optional(
      list(
        'Skills of the agent that the last attempt fetched from repositories.',
        object('A fetched skill.', {
          name: string('Name of the skill.'),
          commit: string('The commit that its files are from.'),
        }),
      ),
    ),
    warnings: optional(
      list(
        'What the run did without, such as an MCP server that did not start or a label of its pull request.',
        string('A warning, at most 512 characters.'),
      ),
    ),
    usage: optional(atomic(usage)),
    progress: optional(atomic(progress)),
    runtimeRef: optional(
      atomic(
        freeObject(
          'The object that executes the run: type, name, namespace, uid, and fields of the runtime.',
        ),
      ),
    ),
    workflow: optional(atomic(workflow)),
    artifacts: optional(
      list(
        'Artifacts of the run.',
        artifactLocation('An artifact.', {
          key: 'Name of the Artifact if the file was uploaded; otherwise the key that the AgentProvider declares.',
          url: 'URL that the AgentProvider declares.',
        }),
      ),
    ),
    vcs: optional(atomic(vcs)),
    systemPromptHash: optional(
      string(
        'SHA-256 of the system prompt in hexadecimal. Not set for a system prompt in a Secret, since it would allow guesses to be verified.',
      ),
    ),
    contract: optional(atomic(contract)),
  }),
  ...runRules(agentRunConditions),
)
