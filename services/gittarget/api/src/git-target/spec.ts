import {
  boolean,
  list,
  number,
  object,
  oneOfStrings,
  optional,
  string,
  withDefault,
  withRules,
} from '@agents/crd'
import { immutable } from '../immutable.ts'
import { localRef } from '../reference.ts'

const branch = withRules(
  string('The branch to write to. It is created when it does not exist. Cannot be changed.', {
    minLength: 1,
    maxLength: 255,
    pattern: '^[^\\x00-\\x20\\x7f~^:?*\\[\\\\]+$',
  }),
  {
    rule: "self != 'HEAD' && !self.startsWith('-') && !self.startsWith('refs/') && !self.contains('..') && !self.contains('@{') && !self.endsWith('.') && self.split('/').all(part, part != '' && !part.startsWith('.') && !part.endsWith('.lock'))",
    message: 'must be a branch name that Git accepts',
  },
  immutable('branch cannot be changed; create another GitTarget instead'),
)

const path = withRules(
  string(
    'The folder that the mirror owns, relative to the root of the repository; . is the root. Cannot be changed.',
    { minLength: 1, maxLength: 1024, pattern: '^[^\\x00-\\x1f\\x7f\\\\]+$' },
  ),
  { rule: "!self.startsWith('/')", message: 'must be relative: no / at the start' },
  {
    rule: "!self.split('/').exists(part, part == '..')",
    message: 'must stay inside the repository: no .. in it',
  },
  {
    rule: "self == '.' || self.startsWith('/') || !self.split('/').exists(part, part == '' || part == '.')",
    message: 'must be written plainly: no //, no /./ and no / at the end',
  },
  {
    rule: "!self.lowerAscii().matches('(^|/)([.]git|git~1)[. ]*(:[^/]*)?(/|$)')",
    message: 'must not lead into .git, by any of the names that file systems have for it',
  },
  {
    rule: "!self.split('/').exists(part, size(part) > 255)",
    message: 'must have no part that is longer than a file name may be',
  },
  immutable('path cannot be changed; create another GitTarget instead'),
)

const encryption = withRules(
  object('How Secrets are encrypted before they are written. Left out, Secrets are not mirrored.', {
    provider: withDefault(oneOfStrings('The format of encrypted files.', ['sops']), 'sops'),
    secretRef: optional(
      localRef(
        'The Secret with the age identity. Its public half is a recipient too, and it lets unchanged Secrets be recognised after a restart.',
      ),
    ),
    recipients: optional(
      list(
        'Public keys of those who can decrypt.',
        string('An age public key.', { maxLength: 62, pattern: '^age1[02-9ac-hj-np-z]{58}$' }),
        { maxItems: 64, 'x-kubernetes-list-type': 'set' },
      ),
    ),
    fingerprintRef: optional(
      localRef(
        'For targets without a secretRef: the Secret with a random text of 32 letters or more under fingerprint.key, which opens nothing, but lets unchanged Secrets be recognised after a restart. Left out, such a key is kept in the state directory, and Secrets are written anew when that is lost.',
      ),
    ),
    autoCreate: withDefault(
      boolean(
        'Whether the Secrets that secretRef and fingerprintRef name are made, with a new key, when they do not exist. Back up that of secretRef: without it nobody can decrypt.',
      ),
      false,
    ),
  }),
  {
    rule: 'has(self.secretRef) || (has(self.recipients) && size(self.recipients) > 0)',
    message: 'needs a secretRef or at least one of recipients',
  },
  {
    rule: '!self.autoCreate || has(self.secretRef) || has(self.fingerprintRef)',
    message: 'needs a secretRef or fingerprintRef that says which Secret to make',
    fieldPath: '.autoCreate',
  },
)

const prune = object('What happens to files whose objects are gone.', {
  mode: withDefault(
    oneOfStrings(
      'Never keeps them. OnEvent deletes a file when its object is seen to be deleted. Always also deletes, in a snapshot, the files of objects that went away unseen.',
      ['Never', 'OnEvent', 'Always'],
    ),
    'OnEvent',
  ),
  maxDeleteFraction: withDefault(
    number(
      'The part of its files, from 0 to 1, that a snapshot may delete without a person confirming it. Up to 10 files are always allowed.',
      { minimum: 0, maximum: 1 },
    ),
    0.5,
  ),
})

export const gitTargetSpec = object('What is written where.', {
  providerRef: withRules(
    localRef('The GitProvider whose repository is written to. Cannot be changed.'),
    immutable('providerRef cannot be changed; create another GitTarget instead'),
  ),
  branch,
  path,
  encryption: optional(encryption),
  prune: withDefault(prune, { mode: 'OnEvent', maxDeleteFraction: 0.5 }),
  suspend: withDefault(
    boolean('Whether writing stops for now. What changes meanwhile is caught up afterwards.'),
    false,
  ),
  allowClusterRules: withDefault(
    boolean(
      'Whether ClusterWatchRules may send objects of other namespaces, and of the cluster, to this target.',
    ),
    false,
  ),
})
