import { boolean, list, object, optional, string, withRules } from '@agents/crd'

/** Far above real use. Bounded, so that checking the rules has a bounded estimated cost. */
const mostParameters = 100
const longestValue = 2048

const value = { maxLength: longestValue } as const

const declaredParameter = withRules(
  object('A parameter.', {
    name: string('Name of the parameter.', {
      pattern: '^[A-Za-z_][A-Za-z0-9_-]*$',
      maxLength: 63,
    }),
    description: optional(string('What the parameter means.', { maxLength: 1024 })),
    default: optional(string('Value of the parameter if a run omits it.', value)),
    required: optional(boolean('If true, a run must set the parameter. Only without a default.')),
    enum: optional(
      list('The values that are allowed.', string('A value.', value), {
        minItems: 1,
        maxItems: 100,
      }),
    ),
  }),
  {
    rule: '!has(self.default) || !has(self.required) || !self.required',
    message: 'a required parameter cannot have a default',
    fieldPath: '.default',
  },
  {
    rule: '!has(self.default) || !has(self.enum) || self.default in self.enum',
    message: 'must be one of the values in enum',
    fieldPath: '.default',
  },
)

/** The parameters that an object declares for its runs. */
export function declaredParameters(description: string) {
  return list(description, declaredParameter, {
    maxItems: mostParameters,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
  })
}
