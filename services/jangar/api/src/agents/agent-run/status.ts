import {
  freeObject,
  integer,
  list,
  map,
  object,
  oneOfStrings,
  optional,
  statusObject,
  string,
  timestamp,
} from '@agents/crd'
import { int32, nonNegativeInt32, nonNegativeInt64 } from '../../integer.ts'
import { attemptTimes, phaseField, runTimes } from '../../status-field.ts'
import { artifactLocation } from '../artifact-location.ts'
import { agentRunPhase } from './phase.ts'

const workflowStep = object('How one step stands.', {
  name: optional(string('Name of the step.')),
  phase: optional(string('Pending, Running, Retrying, Succeeded or Failed.')),
  attempt: optional(int32('Which attempt this is; the first is 1.')),
  ...attemptTimes,
  jobObservedAt: optional(timestamp('When the Job of this attempt was first seen.')),
  lastTransitionTime: optional(timestamp('When the phase last changed.')),
  message: optional(string('What is to be known about the step.')),
  nextRetryAt: optional(timestamp('When the next attempt begins.')),
  outputs: optional(
    map('Facts that the step reported for later ones.', string('What it reported.')),
  ),
  jobRef: optional(
    object('The Job of this attempt.', {
      name: optional(string('Name of the Job.')),
      namespace: optional(string('Namespace of the Job.')),
      uid: optional(string('UID of the Job.')),
    }),
  ),
})

const workflow = object('How the steps stand, for runtime type workflow.', {
  phase: optional(string('Where the steps stand as a whole.')),
  lastTransitionTime: optional(timestamp('When that phase last changed.')),
  steps: optional(list('How each step stands, in order.', workflowStep)),
})

const queue = object('Where the run stands while it waits for a place.', {
  position: optional(nonNegativeInt32('How many runs go first, plus one.')),
  eligibleAt: optional(timestamp('When it is looked at again at the latest.')),
})

const usage = object('What the run has consumed, as reported by its agent.', {
  inputTokens: optional(nonNegativeInt64('Tokens read by models.')),
  outputTokens: optional(nonNegativeInt64('Tokens written by models.')),
  totalTokens: optional(nonNegativeInt64('Tokens read and written by models.')),
  dollars: optional(string('Cost in US dollars, as a decimal number.')),
})

const vcs = object('The repository that the run worked in.', {
  provider: optional(string('Which VersionControlProvider was used.')),
  repository: optional(string('Which repository, as owner/name.')),
  baseBranch: optional(string('The branch that work started from.')),
  headBranch: optional(string('The branch that work went to.')),
  mode: optional(
    oneOfStrings('How far the run was allowed to go.', ['read-write', 'read-only', 'none']),
  ),
  pullRequest: optional(
    object('The pull request that the run opened.', {
      number: optional(integer('Its number.', { format: 'int64' })),
      url: optional(string('Its address.')),
    }),
  ),
})

const contract = object('Which facts the work asked for.', {
  requiredKeys: optional(list('Facts that had to be known.', string('One key.'))),
  missingKeys: optional(list('Those of them that were not.', string('One key.'))),
})

export const agentRunStatus = statusObject({
  phase: phaseField(agentRunPhase),
  ...runTimes,
  queue: optional(queue),
  attempts: optional(nonNegativeInt32('How many attempts were started.')),
  exitCode: optional(int32('Exit code of the last attempt that ended.')),
  usage: optional(usage),
  runtimeRef: optional(
    freeObject('What carries the work: type, name, namespace, uid, and what its runtime adds.'),
  ),
  workflow: optional(workflow),
  artifacts: optional(
    list('What the run left behind.', artifactLocation('One thing that was kept.')),
  ),
  vcs: optional(vcs),
  systemPromptHash: optional(
    string(
      'SHA-256 of the standing instructions that were used, in hexadecimal. Not told of those in a Secret: whoever sees it could try out guesses.',
    ),
  ),
  contract: optional(contract),
})
