import { string, type Typed, withRules } from '@agents/crd'

/** A duration in the format of Go and Kubernetes: `500ms`, `5s`, `1m30s`. At most one hour. */
export function duration(description: string): Typed<string> {
  return withRules(
    string(description, { maxLength: 16, pattern: '^([0-9]{1,6}(\\.[0-9]{1,3})?(ms|s|m|h))+$' }),
    { rule: "duration(self) <= duration('1h')", message: 'must be at most one hour' },
  )
}
