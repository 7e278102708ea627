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
  object('One thing that must be true of the labels.', {
    key: labelKey,
    operator: oneOfStrings('How key and values relate.', ['In', 'NotIn', 'Exists', 'DoesNotExist']),
    values: optional(
      list('Values for In and NotIn; none for the others.', labelValue, {
        maxItems: 32,
        'x-kubernetes-list-type': 'set',
      }),
    ),
  }),
  {
    rule: "self.operator in ['In', 'NotIn'] ? has(self.values) && size(self.values) > 0 : !has(self.values) || size(self.values) == 0",
    message: 'In and NotIn need values; Exists and DoesNotExist take none',
    fieldPath: '.values',
  },
)

/** As everywhere in Kubernetes: all of it must hold, and an empty selector chooses everything. */
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
