/** What tests use of the package, which has no types. */
declare module 'oidc-provider' {
  interface Context {
    readonly oidc?: { readonly route?: string }
    body: unknown
  }

  // biome-ignore lint/style/noDefaultExport: the package has one.
  export default class Provider {
    constructor(issuer: string, configuration: object)
    use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): void
    callback(): import('node:http').RequestListener
  }
}
