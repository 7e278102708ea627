#!/bin/sh
# Installs podman and mmdebstrap for the suites that run images. On CI, as root, on Debian only: nobody's own machine is changed.
# Never fails: where it cannot, those suites say that they are skipped, and why.
if command -v podman >/dev/null && command -v mmdebstrap >/dev/null; then exit 0; fi
if [ "${CI:-}" != true ] || [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
  echo 'podman or mmdebstrap is missing: suites that run images are skipped' >&2
  exit 0
fi
install_packages() {
  # runc, because crun does not take the cgroups of every machine.
  DEBIAN_FRONTEND=noninteractive timeout 180 \
    apt-get -o DPkg::Lock::Timeout=60 install --yes --quiet --no-install-recommends podman runc mmdebstrap
}
said=$( (install_packages || { timeout 120 apt-get update --quiet && install_packages; }) 2>&1) ||
  printf '%s\npodman cannot be installed: suites that run images are skipped\n' "$said" >&2
exit 0
