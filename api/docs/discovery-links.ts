import { pathOfRoute } from '../../domain/docs/content.ts';

interface DiscoveryLink {
  rel: string;
  path: string;
  type?: string;
}

/** Links from a page to its forms for agents. */
function discoveryLinks(route: string): DiscoveryLink[] {
  return [
    { rel: 'service-desc', path: '/openapi.json' },
    { rel: 'describedby', path: '/agent-readability.json' },
    { rel: 'describedby', path: '/llms.txt', type: 'text/plain' },
    { rel: 'alternate', path: `/${pathOfRoute(route)}.md`, type: 'text/markdown' },
  ];
}

export function linkHeader(route: string, base: string): string {
  const links = discoveryLinks(route).map(({ rel, path, type }) => {
    const of = type === undefined ? '' : `; type="${type}"`;
    return `<${encodeURI(`${base}${path}`)}>; rel="${rel}"${of}`;
  });
  return links.join(', ');
}

export function linkElements(route: string, base: string): string {
  const links = discoveryLinks(route).map(({ rel, path, type }) => {
    const of = type === undefined ? '' : ` type="${type}"`;
    return `<link rel="${rel}"${of} href="${encodeURI(`${base}${path}`)}">`;
  });
  return links.join('\n');
}
