import { list, map, object, oneOfStrings, optional, string, withRules } from '@agents/crd'

const labelKey = string('Key of the label.', {
  minLength: 1,
  maxLength: 317,
  pattern:
    '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$',
})

const labelValue = string('Value of the label.', {
  maxLength: 63,
  pattern: '^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$',
})

const requirement = withRules(
  object('A requirement on the labels.', {
    key: labelKey,
    operator: oneOfStrings('Relation of the key to the values.', [
      'In',
      'NotIn',
      'Exists',
      'DoesNotExist',
    ]),
    values: optional(
      list('Values for In and NotIn. Must be empty for Exists and DoesNotExist.', labelValue, {
        maxItems: 32,
        'x-kubernetes-list-type': 'set',
      }),
    ),
  }),
  {
    rule: "self.operator in ['In', 'NotIn'] ? has(self.values) && size(self.values) > 0 : !has(self.values) || size(self.values) == 0",
    message: 'In and NotIn require values; Exists and DoesNotExist must not have any',
    fieldPath: '.values',
  },
)

/** As in Kubernetes: all requirements must hold, and an empty selector matches everything. */
export function labelSelector(description: string) {
  return object(
    description,
    {
      matchLabels: optional(
        map('Labels that must have exactly these values.', labelValue, { maxProperties: 32 }),
      ),
      matchExpressions: optional(
        list('Requirements that must all hold.', requirement, {
          maxItems: 16,
          'x-kubernetes-list-type': 'atomic',
        }),
      ),
    },
    { 'x-kubernetes-map-type': 'atomic' },
  )
}
