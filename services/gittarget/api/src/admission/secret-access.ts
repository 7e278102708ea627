import type { PolicyValidation, SecretAccess } from '@agents/crd'

/**
 * A GitProvider sends the content of its Secret to `url`, trusts the host keys of `knownHostsRef`, and lets every
 * GitTarget of the namespace write to `allowedBranches` with it.
 */
export const gitProviderSecrets: SecretAccess = {
  secrets: [
    { path: 'spec.secretRef.name' },
    { path: 'spec.commit.signing.secretRef.name' },
    { path: 'spec.knownHostsRef.name', kindPath: 'spec.knownHostsRef.kind' },
  ],
  decisive: [
    'spec.url',
    'spec.secretRef',
    'spec.knownHostsRef',
    'spec.allowedBranches',
    'spec.commit.signing',
  ],
  harmless: [
    'spec.push',
    'spec.commit.committer',
    'spec.commit.author',
    'spec.commit.messageTemplate',
  ],
}

/** Existing rules may send Secrets to the target, so its recipients can read them from then on. */
const mayReadWhatIsEncrypted: PolicyValidation = {
  expression:
    "!variables.decides || !has(object.spec.encryption) || authorizer.group('').resource('secrets').namespace(request.namespace).check('list').allowed()",
  message: 'spec.encryption: you may not list Secrets in this namespace',
  messageExpression:
    "'spec.encryption: ' + request.userInfo.username + ' may not list Secrets in the namespace ' + request.namespace + ', so this user may not choose who can decrypt them; a user with that permission must make this change'",
  reason: 'Forbidden',
}

/** A target that allows cluster rules may get the Secrets of every namespace. */
const mayReadWhatClusterRulesSend: PolicyValidation = {
  expression:
    "!variables.decides || !has(object.spec.encryption) || !has(object.spec.allowClusterRules) || !object.spec.allowClusterRules || authorizer.group('').resource('secrets').check('list').allowed()",
  message: 'spec.allowClusterRules: you may not list Secrets in all namespaces',
  messageExpression:
    "'spec.allowClusterRules: ' + request.userInfo.username + ' may not list Secrets in all namespaces, which ClusterWatchRules can mirror to a target with encryption; a user with that permission must make this change'",
  reason: 'Forbidden',
}

/** `providerRef`, `branch`, `path` and `pathTemplate` are harmless as they cannot be changed. */
export const gitTargetSecrets: SecretAccess = {
  secrets: [
    { path: 'spec.encryption.secretRef.name' },
    { path: 'spec.encryption.fingerprintRef.name' },
  ],
  decisive: ['spec.encryption', 'spec.allowClusterRules'],
  harmless: [
    'spec.providerRef',
    'spec.branch',
    'spec.path',
    'spec.pathTemplate',
    'spec.prune',
    'spec.ignore',
    'spec.suspend',
    'spec.driftCheckSeconds',
    'spec.onDrift',
  ],
  additional: [mayReadWhatIsEncrypted, mayReadWhatClusterRulesSend],
}
