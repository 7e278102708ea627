import { string, type Typed, withRules } from '@agents/crd'

/** A length of time as Go and Kubernetes write it: `500ms`, `5s`, `1m30s`. An hour at most. */
export function duration(description: string): Typed<string> {
  return withRules(
    string(description, { maxLength: 16, pattern: '^([0-9]{1,6}(\\.[0-9]{1,3})?(ms|s|m|h))+$' }),
    { rule: "duration(self) <= duration('1h')", message: 'must be one hour at most' },
  )
}
