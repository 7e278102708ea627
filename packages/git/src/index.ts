export { type BackoffOptions, backoffDelay, defaultBackoff } from './branch-worker/backoff.ts'
export { checkBranchName } from './branch-worker/branch-name.ts'
export type { NewBranchStart } from './branch-worker/branch-session.ts'
export {
  BranchWorker,
  type BranchWorkerOptions,
  type BranchWorkerState,
  type FolderContents,
  type PushTimes,
} from './branch-worker/branch-worker.ts'
export {
  type AcquireOptions,
  BranchWorkers,
  type WorkerLease,
  workerKey,
} from './branch-worker/branch-workers.ts'
export type {
  ChangeSet,
  Confirmation,
  FileChange,
  KnowingChange,
} from './branch-worker/change-set.ts'
export type { FolderFile } from './branch-worker/folder.ts'
export { inspectRemote, type RemoteInspection } from './branch-worker/inspect-remote.ts'
export type { Timeouts } from './branch-worker/local-repository.ts'
export type { Identity } from './commit/commit-object.ts'
export { SshSigner } from './commit/ssh-signature.ts'
export { type Connection, checkConnection } from './git-process/connection.ts'
export { type Credentials, credentialsFrom } from './git-process/credentials.ts'
export { GitError, type GitErrorCode, isGitError } from './git-process/git-error.ts'
export { checkKnownHosts } from './git-process/known-hosts.ts'
export type { RefusedChange } from './object-writer/apply-changes.ts'
export { objectId } from './object-writer/git-object.ts'
export { folderPath, pathProblem } from './object-writer/repository-path.ts'
export { canonicalUrl } from './remote-url/canonical-url.ts'
export { isLoopback, parseRemoteUrl, type RemoteUrl } from './remote-url/remote-url.ts'
export { generateAgeKey, parseIdentities, parseRecipients, recipientOf } from './sops/age-key.ts'
export { decryptDocument } from './sops/decrypt-document.ts'
export { type EncryptOptions, encryptDocument, SECRET_VALUES } from './sops/encrypt-document.ts'
export { fingerprintKeyFrom } from './sops/fingerprint.ts'
export { type SopsConfigOptions, sopsConfigFile } from './sops/sops-config-file.ts'
export { SopsError, type SopsErrorCode } from './sops/sops-error.ts'
