/** Texts of the page in English. Its type makes a missing text of another language an error of the compiler. */
export const en = {
  code: 'en',
  name: 'English',
  frame: {
    title: 'priorart',
    skip: 'Skip to the content',
    search: 'Search',
    dashboard: 'Dashboard',
    reference: 'API reference',
    language: 'Language',
    theme: 'Colours',
    themes: { system: 'As the system', light: 'Light', dark: 'Dark' },
    notFound: 'There is no such page.',
    home: 'Go to the search',
  },
};

export type Texts = typeof en;
