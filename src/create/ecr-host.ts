/** All partitions, with the host names for IPv6 and FIPS. */
const form =
  /^(?<account>\d{12})\.dkr[.-]ecr(?:-fips)?\.(?<region>[a-z0-9-]+)\.(?:amazonaws\.com(?:\.[a-z]{2})?|on\.(?:aws|amazonwebservices\.com\.cn)|sc2s\.sgov\.gov|c2s\.ic\.gov)$/;

/** Account and region in the host name of an ECR registry; undefined for any other host. */
export function ecrHostOf(host: string): { readonly account: string; readonly region: string } | undefined {
  const groups = form.exec(host)?.groups;
  return groups && { account: groups['account']!, region: groups['region']! };
}
