export {
  BranchWorker,
  type FolderContents,
  type PushTimes,
  type SeenBranch,
} from './branch-worker/branch-worker.ts'
export { BranchWorkers, type WorkerLease, workerKey } from './branch-worker/branch-workers.ts'
export type {
  ChangeSet,
  Confirmation,
  FileChange,
  KnowingChange,
} from './branch-worker/change-set.ts'
export { checkWriteAccess } from './branch-worker/check-write-access.ts'
export { batchesBySize, maxFileBytes } from './branch-worker/file-limits.ts'
export { inspectRemote } from './branch-worker/inspect-remote.ts'
export type { FolderFile } from './branch-worker/list-folder.ts'
export { openRevision, revisionBeforeDeletion } from './branch-worker/open-revision.ts'
export type { Identity } from './commit/commit-object.ts'
export { SshSigner } from './commit/ssh-signature.ts'
export { GitError, type GitErrorCode, isGitError } from './git-error.ts'
export { type Connection, checkConnection } from './git-process/connection.ts'
export {
  authorizationOf,
  type Credentials,
  credentialsFrom,
  secretsOf,
} from './git-process/credentials.ts'
export { authorizationConfig, gitEnvironment } from './git-process/git-environment.ts'
export { type SshOptions, sshEnvironment } from './git-process/ssh-command.ts'
export { objectId } from './object-writer/git-object.ts'
export { folderPath, pathProblem } from './object-writer/repository-path.ts'
export { canonicalUrl } from './remote-url/canonical-url.ts'
export { isLoopback, parseRemoteUrl, type RemoteUrl } from './remote-url/remote-url.ts'
export { generateAgeKey, parseIdentities, parseRecipients, recipientOf } from './sops/age-key.ts'
export { decryptDocument } from './sops/decrypt-document.ts'
export { encryptDocument } from './sops/encrypt-document.ts'
export { fingerprintKeyFrom } from './sops/fingerprint.ts'
export { sopsConfigFile } from './sops/sops-config-file.ts'
export { SopsError } from './sops/sops-error.ts'
