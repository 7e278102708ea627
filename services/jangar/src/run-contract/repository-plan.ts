import {
  flag,
  listOf,
  oneOf,
  optional,
  type ReadBy,
  readJsonDocument,
  record,
  someText,
  text,
  wholeNumber,
} from '../reader/reader.ts'
import { vcsContext } from './vcs-context.ts'

/**
 * The variable with the plan, as JSON, in the containers that hold the credential. It is part of the Job's template,
 * which cannot be changed; a ConfigMap can be created by others before the controller does.
 */
export const repositoryPlanVariable = 'AGENT_REPOSITORY_PLAN'
export const publishSocket = 'publish.sock'

/** The plan: which repository to fetch, where work may be pushed. Written by the controller; holds no credential. */
const repositoryPlan = record({
  agentRun: record({ name: someText, namespace: someText }),
  vcs: vcsContext,
  /** If omitted, the run reads only and nothing is pushed. */
  head: optional(record({ name: someText, alternative: optional(someText), isChosen: flag })),
  branchPolicy: optional(
    record({
      allowBaseBranch: optional(flag),
      protected: optional(listOf(text)),
      allow: optional(listOf(text)),
    }),
  ),
  pushPolicy: optional(
    record({
      allowedPaths: optional(listOf(text)),
      deniedPaths: optional(listOf(text)),
      maxChangedFiles: optional(wholeNumber(1, 1_000_000)),
      maxBytes: optional(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
      allowTokens: optional(flag),
    }),
  ),
  /** Whether it is a failure if nothing is pushed. */
  requireChanges: optional(flag),
  hostKeyPolicy: optional(oneOf(['Strict', 'AcceptNew'])),
  /** For one git command that talks to the remote. If omitted, 300. */
  gitSeconds: optional(wholeNumber(1, 86_400)),
})

export type RepositoryPlan = ReadBy<typeof repositoryPlan>

export function parseRepositoryPlan(document: string) {
  return readJsonDocument(repositoryPlan, document)
}

/**
 * `checkout.json` beside the fetched repository: what `checkout` found, for the agent's container and for `publish`.
 */
const checkoutRecord = record({
  url: someText,
  repository: someText,
  baseBranch: optional(text),
  defaultBranch: optional(text),
  head: optional(record({ name: someText, alternative: optional(someText) })),
  startCommit: optional(text),
  baseCommit: optional(text),
})

export type CheckoutRecord = ReadBy<typeof checkoutRecord>

export const checkoutRecordFile = 'checkout.json'
export const gitFolderName = 'repository.git'

export function parseCheckoutRecord(document: string) {
  return readJsonDocument(checkoutRecord, document)
}
