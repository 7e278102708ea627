/** What a template may speak of. Everything it names begins with one of these words. */
export const TEMPLATE_ROOTS = [
  'agentRun',
  'agent',
  'implementation',
  'parameters',
  'inputs',
  'memory',
  'vcs',
] as const

export type TemplateRoot = (typeof TEMPLATE_ROOTS)[number]

/** JSON values by root. A root that is left out is unknown to templates, not empty. */
export type TemplateContext = { readonly [Root in TemplateRoot]?: unknown }
