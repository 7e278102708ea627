/** The roots of the paths that a template can use. */
export const templateRoots = [
  'agentRun',
  'agent',
  'implementation',
  'parameters',
  'inputs',
  'memory',
  'vcs',
] as const

type TemplateRoot = (typeof templateRoots)[number]

/** JSON values by root. An omitted root is unknown to templates, not empty. */
export type TemplateContext = { readonly [Root in TemplateRoot]?: unknown }
