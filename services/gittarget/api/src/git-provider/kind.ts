import {
  defineKind,
  list,
  type ObjectOf,
  object,
  oneOfStrings,
  optional,
  statusObject,
  string,
  withDefault,
  withRules,
} from '@agents/crd'
import { duration } from '../duration.ts'
import { globPattern } from '../glob.ts'
import { gitops } from '../group.ts'
import { immutable } from '../immutable.ts'
import { message, ready, reason } from '../printer-column.ts'
import { localRef, objectName } from '../reference.ts'

/** Neither host nor user may start with a dash: Git would take it for an option. */
const user = '[A-Za-z0-9_][A-Za-z0-9._-]*@'
const host = '[A-Za-z0-9\\[]'
const scp = `${user}[A-Za-z0-9][A-Za-z0-9.-]*:`

const url = withRules(
  string(
    'Where the repository is: https://host/path, ssh://user@host/path or user@host:path; and, where the operator allows repositories of its own machine, file:///path or http://127.0.0.1/path. Cannot be changed; create another GitProvider instead.',
    {
      minLength: 1,
      maxLength: 2048,
      pattern: `^(https?://${host}|ssh://(${user})?${host}|${scp}|file:///)[!-~]+$`,
    },
  ),
  {
    rule: "!self.startsWith('http://') || self.matches('^http://(localhost|127[.][0-9]+[.][0-9]+[.][0-9]+|\\\\[::1\\\\])(:[0-9]+)?/')",
    message:
      'must be https: over http everybody on the way could read the credentials; http is for the loopback address only',
  },
  {
    rule: "!self.matches('^(https?://[^/]*@|ssh://[^/]*:[^/]*@)')",
    message: 'must not carry credentials; put them into the Secret that secretRef names',
  },
  {
    rule: "!self.matches('[?#]|%([^0-9a-fA-F]|.[^0-9a-fA-F]|.?$)')",
    message: 'must have no query, no fragment and no broken % in it',
  },
  immutable('url cannot be changed; create another GitProvider instead'),
)

const knownHosts = object('Where the host keys of an SSH server are.', {
  kind: withDefault(
    oneOfStrings('Which kind of object holds them.', ['ConfigMap', 'Secret']),
    'ConfigMap',
  ),
  name: objectName('Its name, in the same namespace.'),
  key: withDefault(
    string('The key under which they are, in the format of ~/.ssh/known_hosts.', {
      minLength: 1,
      maxLength: 253,
      pattern: '^[-._a-zA-Z0-9]+$',
    }),
    'known_hosts',
  ),
})

const push = withRules(
  object('When changes are committed and pushed.', {
    commitWindow: withDefault(
      duration(
        'How long nothing must change before what has changed is committed. 0s commits at once.',
      ),
      '5s',
    ),
    maxWindow: withDefault(
      duration('How long a change waits at most for a commit, however busy the cluster is.'),
      '30s',
    ),
  }),
  {
    rule: 'duration(self.commitWindow) <= duration(self.maxWindow)',
    message: 'commitWindow must not be longer than maxWindow',
    fieldPath: '.commitWindow',
  },
)

const committer = object('Who the commits are by.', {
  name: withDefault(
    string('Name of the committer.', {
      minLength: 1,
      maxLength: 128,
      pattern: '^[^<>\\x00-\\x1f\\x7f]+$',
    }),
    'GitTarget',
  ),
  email: withDefault(
    string('E-mail address of the committer.', {
      minLength: 3,
      maxLength: 254,
      pattern: '^[^<>@\\x00-\\x20\\x7f]+@[^<>@\\x00-\\x20\\x7f]+$',
    }),
    'gittarget@agents.invalid',
  ),
})

const commit = object('What commits look like.', {
  committer: withDefault(committer, { name: 'GitTarget', email: 'gittarget@agents.invalid' }),
  messageTemplate: optional(
    string(
      'Text of commit messages. {{ name }} in it is filled in; a name that does not exist is an error, never an empty text. Left out, the message says what changed.',
      { minLength: 1, maxLength: 4096 },
    ),
  ),
  signing: optional(
    object('Signs commits with an SSH key. Left out, commits are not signed.', {
      secretRef: localRef('The Secret with the SSH private key, under ssh-privatekey or identity.'),
    }),
  ),
})

const spec = object('The repository, and how it is used.', {
  url,
  secretRef: optional(
    localRef(
      'The Secret with the credentials: an SSH key (ssh-privatekey, identity or sshPrivateKey), username and password, or bearerToken. With ca.crt in it an HTTPS server is trusted by these certificates alone, otherwise by those of the system. Left out, the repository is used anonymously.',
    ),
  ),
  knownHostsRef: optional(knownHosts),
  allowedBranches: list(
    'Branches that GitTargets may write to. * stands for any text without /.',
    globPattern('A branch name or pattern, such as main or release/*.'),
    { minItems: 1, maxItems: 64, 'x-kubernetes-list-type': 'set' },
  ),
  push: withDefault(push, { commitWindow: '5s', maxWindow: '30s' }),
  commit: withDefault(commit, {
    committer: { name: 'GitTarget', email: 'gittarget@agents.invalid' },
  }),
})

const status = statusObject({
  canonicalURL: optional(
    string(
      'The URL in the form under which repositories are compared: however it is spelled, the same repository is the same here.',
    ),
  ),
  signingPublicKey: optional(
    string('Public half of the signing key, to be registered with the Git server.'),
  ),
})

export const gitProvider = defineKind({
  ...gitops,
  kind: 'GitProvider',
  plural: 'gitproviders',
  shortNames: ['gp'],
  scope: 'Namespaced',
  description:
    'A Git repository that GitTargets of the same namespace may write to: where it is, how to get in, and which branches are allowed.',
  spec,
  status,
  columns: [
    ready,
    reason,
    { name: 'URL', type: 'string', jsonPath: '.spec.url', description: 'Where the repository is.' },
    {
      name: 'Branches',
      type: 'string',
      jsonPath: '.spec.allowedBranches',
      description: 'Branches that may be written to.',
      priority: 1,
    },
    message,
  ],
  summary: 'Ready',
})

export type GitProvider = ObjectOf<typeof gitProvider>
