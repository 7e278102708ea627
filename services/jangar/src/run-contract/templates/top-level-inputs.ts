import type { TemplateContext } from './template-roots.ts'

/**
 * The context of templates about a repository, in which parameters and metadata can also be used without `inputs.`,
 * such as `{{ issueNumber }}`. A root takes precedence over an input of the same name.
 */
export function withTopLevelInputs(context: TemplateContext): TemplateContext {
  const { parameters, inputs } = context
  return { ...asObject(parameters), ...asObject(inputs), ...context }
}

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {}
}
