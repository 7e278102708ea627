import { list, oneOfStrings, optional, string, type ValidationRule, withDefault } from '@agents/crd'
import { globPattern } from '../glob.ts'
import { labelSelector } from './label-selector.ts'

const subdomain = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'

/** The fields that the rules of WatchRule and ClusterWatchRule share. */
export const resourceRuleFields = {
  operations: withDefault(
    list(
      'Operations that are mirrored; * means all.',
      oneOfStrings('An operation on objects.', ['CREATE', 'UPDATE', 'DELETE', '*']),
      { minItems: 1, maxItems: 4, 'x-kubernetes-list-type': 'set' },
    ),
    ['*'],
  ),
  apiGroups: optional(
    list(
      'API groups of the resources. An empty string is the core group, * is any group. If omitted, the group that serves the resource; required if several groups serve it.',
      string('An API group.', { maxLength: 253, pattern: `^(\\*|${subdomain})?$` }),
      { minItems: 1, maxItems: 64, 'x-kubernetes-list-type': 'set' },
    ),
  ),
  apiVersions: optional(
    list(
      'API versions in which the resources are mirrored. If omitted or *, defaults to the preferred version of the server.',
      string('A version, such as v1.', {
        maxLength: 63,
        pattern: '^(\\*|v[0-9]+((alpha|beta)[0-9]+)?)$',
      }),
      { minItems: 1, maxItems: 16, 'x-kubernetes-list-type': 'set' },
    ),
  ),
  resources: list(
    'Resources by plural name; * means every resource of the API groups that can be watched.',
    string('A plural name in lower case, such as configmaps. Subresources are not supported.', {
      minLength: 1,
      maxLength: 63,
      pattern: '^(\\*|[a-z0-9]([-a-z0-9]*[a-z0-9])?)$',
    }),
    { minItems: 1, maxItems: 128, 'x-kubernetes-list-type': 'set' },
  ),
  objectSelector: optional(
    labelSelector('Selects objects by their labels. If omitted, all objects are mirrored.'),
  ),
  ownedObjects: optional(
    oneOfStrings(
      'Whether to mirror objects that a controller created for another object, such as the ReplicaSets of a Deployment, and objects that every cluster creates, such as the ConfigMap kube-root-ca.crt and the default roles. Applied to another cluster, they would be duplicates or conflict with its own objects. If omitted, they are included for resources listed by name and excluded for *.',
      ['Include', 'Exclude'],
    ),
  ),
  status: optional(
    oneOfStrings(
      'Whether files contain the status of the objects, without times that controllers keep updating, as a record of what became of them. Only for resources listed by name. The status of the kinds of this API group is never included, because each commit changes it. If omitted, defaults to Exclude.',
      ['Include', 'Exclude'],
    ),
  ),
  excludeNames: optional(
    list(
      'Names of objects that are not mirrored.',
      globPattern('A name or pattern, such as kube-root-ca.crt or tmp-*.'),
      { maxItems: 128, 'x-kubernetes-list-type': 'set' },
    ),
  ),
}

/** For the status of every resource, each change in the cluster would be a commit. */
export const statusOfNamedResources: ValidationRule = {
  rule: "!has(self.status) || self.status != 'Include' || !('*' in self.resources)",
  message: 'Include requires that resources are listed by name',
  fieldPath: '.status',
}
