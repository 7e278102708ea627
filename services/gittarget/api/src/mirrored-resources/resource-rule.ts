import { list, oneOfStrings, optional, string, withDefault } from '@agents/crd'
import { globPattern } from '../glob.ts'
import { labelSelector } from './label-selector.ts'

const subdomain = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'

/** What a rule of a WatchRule and of a ClusterWatchRule have in common. */
export const resourceRuleFields = {
  operations: withDefault(
    list(
      'Which changes are mirrored; * is all of them.',
      oneOfStrings('A kind of change.', ['CREATE', 'UPDATE', 'DELETE', '*']),
      { minItems: 1, maxItems: 4, 'x-kubernetes-list-type': 'set' },
    ),
    ['*'],
  ),
  apiGroups: optional(
    list(
      'API groups of the resources: an empty text is the core group, * any group. Left out, the one group that serves the resource; if there are several, name one.',
      string('An API group.', { maxLength: 253, pattern: `^(\\*|${subdomain})?$` }),
      { minItems: 1, maxItems: 64, 'x-kubernetes-list-type': 'set' },
    ),
  ),
  apiVersions: optional(
    list(
      'Versions in which the resources are mirrored. Left out or *, the version that the server prefers.',
      string('A version, such as v1.', {
        maxLength: 63,
        pattern: '^(\\*|v[0-9]+((alpha|beta)[0-9]+)?)$',
      }),
      { minItems: 1, maxItems: 16, 'x-kubernetes-list-type': 'set' },
    ),
  ),
  resources: list(
    'The resources, by plural name; * is every resource of the groups that can be watched.',
    string('A plural name in lower case, such as configmaps; no subresource.', {
      minLength: 1,
      maxLength: 63,
      pattern: '^(\\*|[a-z0-9]([-a-z0-9]*[a-z0-9])?)$',
    }),
    { minItems: 1, maxItems: 128, 'x-kubernetes-list-type': 'set' },
  ),
  objectSelector: optional(
    labelSelector('Chooses objects by their labels. Left out, all are mirrored.'),
  ),
  ownedObjects: optional(
    oneOfStrings(
      'Whether objects are mirrored that a controller made for another one, such as the ReplicaSets of a Deployment, or that every cluster makes by itself, such as the ConfigMap kube-root-ca.crt and the default roles: applied elsewhere they would be there twice, or in the way. Left out, those of resources that are named are, those that * finds are not.',
      ['Include', 'Exclude'],
    ),
  ),
  excludeNames: optional(
    list(
      'Objects that are not mirrored, by name.',
      globPattern('A name or pattern, such as kube-root-ca.crt or tmp-*.'),
      { maxItems: 128, 'x-kubernetes-list-type': 'set' },
    ),
  ),
}
