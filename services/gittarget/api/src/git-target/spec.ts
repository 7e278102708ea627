import {
  boolean,
  integer,
  list,
  number,
  object,
  oneOfStrings,
  optional,
  string,
  withDefault,
  withRules,
} from '@agents/crd'
import { globPattern } from '../glob.ts'
import { immutable } from '../immutable.ts'
import { localRef } from '../reference.ts'

const branch = withRules(
  string('Branch to write to. Created if it does not exist. Cannot be changed.', {
    minLength: 1,
    maxLength: 255,
    pattern: '^[^\\x00-\\x20\\x7f~^:?*\\[\\\\]+$',
  }),
  {
    rule: "self != 'HEAD' && self != '@' && !self.startsWith('-') && !self.startsWith('refs/') && !self.contains('..') && !self.contains('@{') && !self.endsWith('.') && self.split('/').all(part, part != '' && !part.startsWith('.') && !part.endsWith('.lock'))",
    message: 'must be a valid Git branch name',
  },
  immutable('branch cannot be changed; create another GitTarget instead'),
)

const path = withRules(
  string(
    'Folder that the mirror owns, relative to the root of the repository; . is the root. Cannot be changed.',
    { minLength: 1, maxLength: 1024, pattern: '^[^\\x00-\\x1f\\x7f\\\\]+$' },
  ),
  { rule: "!self.startsWith('/')", message: 'must be a relative path: it must not start with /' },
  {
    rule: "!self.split('/').exists(part, part == '..')",
    message: 'must stay inside the repository: it must not contain ..',
  },
  {
    rule: "self == '.' || self.startsWith('/') || !self.split('/').exists(part, part == '' || part == '.')",
    message: 'must be a normalized path, without //, /./ or a trailing /',
  },
  {
    rule: "!self.lowerAscii().matches('(^|/)([.]git|git~1)[. ]*(:[^/]*)?(/|$)')",
    message: 'must not lead into .git, also not by an alias such as GIT~1',
  },
  {
    rule: "!self.split('/').exists(part, size(part) > 255)",
    message: 'must not contain a path segment of more than 255 characters',
  },
  immutable('path cannot be changed; create another GitTarget instead'),
)

const pathTemplate = withRules(
  string(
    'Path of each file, relative to the folder. Placeholders: {{ namespace }}, {{ group }}, {{ resource }}, {{ kind }} (in lower case) and {{ name }}. Must contain the name, the resource or kind, and with allowClusterRules the namespace, so that each object has a path of its own. Cannot be changed. If omitted, {{ namespace }}/{{ group }}/{{ resource }}/{{ name }}.yaml.',
    {
      minLength: 1,
      maxLength: 256,
      pattern:
        '^([A-Za-z0-9._+=,@~/-]|\\{\\{ *(namespace|group|resource|kind|name) *\\}\\})+\\.yaml$',
    },
  ),
  {
    rule: "!self.split('/').exists(part, part == '' || part.startsWith('.') || part.endsWith('.'))",
    message:
      'must be a relative, normalized path, and no segment may start or end with a dot: it must not contain .., // or hidden files',
  },
  {
    rule: "self.matches('[{] *name *[}]')",
    message: 'must contain {{ name }}',
  },
  {
    rule: "self.matches('[{] *(kind|resource) *[}]')",
    message: 'must contain {{ kind }} or {{ resource }}',
  },
)

const encryption = withRules(
  object(
    'How Secrets are encrypted before they are written. If omitted, Secrets are not mirrored.',
    {
      provider: withDefault(oneOfStrings('Format of encrypted files.', ['sops']), 'sops'),
      secretRef: optional(
        localRef(
          'Secret with the age identity. Its public key is added to the recipients. It also lets the operator recognize unchanged Secrets after a restart.',
        ),
      ),
      recipients: optional(
        list(
          'Public keys of the recipients, who can decrypt the files.',
          string('An age public key.', { maxLength: 62, pattern: '^age1[02-9ac-hj-np-z]{58}$' }),
          { maxItems: 64, 'x-kubernetes-list-type': 'set' },
        ),
      ),
      fingerprintRef: optional(
        localRef(
          'Secret with a random text of at least 32 characters under fingerprint.key, for targets without a secretRef. The key cannot decrypt anything; it lets the operator recognize unchanged Secrets after a restart. If omitted, the operator keeps such a key in its state directory and rewrites all Secrets once if the directory is lost.',
        ),
      ),
      autoCreate: withDefault(
        boolean(
          'Whether the operator creates the Secrets named by secretRef and fingerprintRef, with a new key, if they do not exist. Back up the Secret of secretRef: without it the files cannot be decrypted.',
        ),
        false,
      ),
    },
  ),
  {
    rule: 'has(self.secretRef) || (has(self.recipients) && size(self.recipients) > 0)',
    message: 'must set secretRef or at least one recipient',
  },
  {
    rule: '!self.autoCreate || has(self.secretRef) || has(self.fingerprintRef)',
    message: 'must be used with secretRef or fingerprintRef, which name the Secret to create',
    fieldPath: '.autoCreate',
  },
)

const prune = object('What happens to the files of deleted objects.', {
  mode: withDefault(
    oneOfStrings(
      'Never keeps the files. OnEvent deletes a file when a watch reports that its object was deleted. Always also deletes, in a snapshot, files of objects that no longer exist.',
      ['Never', 'OnEvent', 'Always'],
    ),
    'OnEvent',
  ),
  maxDeleteFraction: withDefault(
    number(
      'Largest fraction of the files, from 0 to 1, that a snapshot may delete without confirmation. Up to 10 files may always be deleted.',
      { minimum: 0, maximum: 1 },
    ),
    0.5,
  ),
})

const fieldPath = withRules(
  string(
    'A field as a JSON pointer, such as /spec/replicas or /metadata/annotations/example.com~1name. A segment * matches each member of a map and each item of a list.',
    { minLength: 2, maxLength: 256, pattern: '^(/([^~/\\x00-\\x1f\\x7f]|~[01])+)+$' },
  ),
  {
    rule: "!self.matches('^/([*]|apiVersion|kind)(/|$)') && !self.matches('^/metadata(/([*]|name|namespace)(/.*)?)?$')",
    message:
      'must not be or contain apiVersion, kind, metadata.name or metadata.namespace, which identify the object',
  },
)

const ignoredFields = object('Fields of some resources.', {
  apiGroups: optional(
    list(
      'API groups of the resources. An empty string is the core group. If omitted, all groups.',
      string('An API group.', { maxLength: 253 }),
      { minItems: 1, maxItems: 64, 'x-kubernetes-list-type': 'set' },
    ),
  ),
  resources: optional(
    list(
      'Resources by plural name. If omitted, all resources.',
      string('A plural name in lower case, such as deployments.', { minLength: 1, maxLength: 63 }),
      { minItems: 1, maxItems: 128, 'x-kubernetes-list-type': 'set' },
    ),
  ),
  paths: list('The fields that are ignored.', fieldPath, {
    minItems: 1,
    maxItems: 32,
    'x-kubernetes-list-type': 'set',
  }),
})

const ignore = object(
  'Changes that are not mirrored, such as those of Argo CD or Flux, which apply what Git already has.',
  {
    managers: optional(
      list(
        'Field managers whose writes are ignored. While the last write of an object was made by one of them, its file is neither created nor changed. Deletions are mirrored, because the API server does not record who deletes.',
        globPattern('A field manager or pattern, such as argocd-controller or kustomize-*.'),
        { maxItems: 64, 'x-kubernetes-list-type': 'set' },
      ),
    ),
    fields: optional(
      list(
        'Fields that are neither written nor compared. A value that a file already has is kept, unless the file is encrypted.',
        ignoredFields,
        { maxItems: 32, 'x-kubernetes-list-type': 'atomic' },
      ),
    ),
  },
)

const specFields = object('Where objects are mirrored to, and how.', {
  providerRef: withRules(
    localRef('GitProvider of the repository to write to. Cannot be changed.'),
    immutable('providerRef cannot be changed; create another GitTarget instead'),
  ),
  branch,
  path,
  pathTemplate: optional(pathTemplate),
  encryption: optional(encryption),
  prune: withDefault(prune, { mode: 'OnEvent', maxDeleteFraction: 0.5 }),
  driftCheckSeconds: withDefault(
    withRules(
      integer(
        'How often an idle mirror asks the server, with git ls-remote, whether the branch was changed or deleted. 0 turns the check off: changes in Git are then noticed with the next push.',
        { format: 'int32', minimum: 0, maximum: 86_400 },
      ),
      { rule: 'self == 0 || self >= 10', message: 'must be 0 or at least 10' },
    ),
    300,
  ),
  onDrift: withDefault(
    oneOfStrings(
      'What happens if files of mirrored objects were changed or deleted in Git. Correct restores them. Report leaves them unchanged and reports them in the status; a file is written when its object changes.',
      ['Correct', 'Report'],
    ),
    'Correct',
  ),
  ignore: optional(ignore),
  suspend: withDefault(
    boolean(
      'Whether writing is suspended. Changes made meanwhile are written after it is resumed.',
    ),
    false,
  ),
  allowClusterRules: withDefault(
    boolean(
      'Whether ClusterWatchRules may mirror objects of other namespaces and cluster-scoped objects to this target.',
    ),
    false,
  ),
})

export const gitTargetSpec = withRules(
  specFields,
  {
    rule: 'has(self.pathTemplate) == has(oldSelf.pathTemplate) && (!has(self.pathTemplate) || self.pathTemplate == oldSelf.pathTemplate)',
    message: 'pathTemplate cannot be changed; create another GitTarget instead',
    fieldPath: '.pathTemplate',
    reason: 'FieldValueForbidden',
  },
  {
    rule: "!has(self.pathTemplate) || !has(self.allowClusterRules) || !self.allowClusterRules || self.pathTemplate.matches('[{] *namespace *[}]')",
    message:
      'must contain {{ namespace }}, because allowClusterRules lets rules select objects of several namespaces',
    fieldPath: '.pathTemplate',
  },
)
