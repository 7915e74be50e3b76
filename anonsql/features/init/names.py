"""What the name of a column says: the last evidence, after the counts of its values and their form.
Words of English and German; of several words in a name any one counts."""

from __future__ import annotations

import re

IDENTIFYING = re.compile(
    r"(^|_)(id|uuid|guid|ssn|name|names|surname|email|mail|phone|mobile|passport|licen[cs]e|"
    r"iban|account|ip|address|street|"
    r"vorname|vornamen|nachname|familienname|geburtsname|telefon|telefonnummer|handy|mobil|fax|"
    r"stra(ß|ss)e|hausnummer|adresse|anschrift|ausweis|kennzeichen|"
    r"(kunden|patienten|personal|mitglieds|versicherten|versicherungs|konto|steuer|ausweis)"
    r"_?(nr|nummer))(_|$)"
)
QUASI = re.compile(
    r"(^|_)(age|sex|gender|race|ethnicity|zip|zipcode|postcode|postal|city|state|county|region|"
    r"country|nationality|birth|birthdate|birthday|dob|born|marital|education|occupation|job|"
    r"profession|workclass|language|religion|height|weight|visited|admitted|discharged|date|dates|"
    r"relationship|hispanic|ethnic|edu|degree|school|university|employer|industry|department|office|"
    r"branch|hired|hiring|joined|ordered|district|province|latitude|longitude|lat|lon|lng|"
    r"neighbou?rhood|citizenship|birthplace|yob|town|municipality|children|siblings|veteran|educ|hobby|hobbies|"
    r"(household|hh|family)_?size|year_?group|"
    r"alter|geschlecht|geburtstag|geburtsjahr|geburtsort|geboren|[^_]*datum|plz|postleitzahl|"
    r"ort|wohnort|stadt|gemeinde|kreis|landkreis|bundesland|land|staat|"
    r"nationalit(ä|ae)t|staatsangeh(ö|oe)rigkeit|familienstand|bildung|schulabschluss|beruf|"
    r"sprache|konfession|gr(ö|oe)(ß|ss)e|gewicht)(_|$)"
)
SENSITIVE = re.compile(
    r"(^|_)(disease|diagnosis|condition|illness|salary|income|wage|debt|score|hiv|medication|"
    r"treatment|crime|bonus|pay|payment|earnings|cost|costs|amount|price|balance|credit|loan|gain|loss|"
    r"rating|grade|blood|icd|icd9|icd10|injury|disability|disabled|therapy|drug|dose|dosage|allergy|"
    r"health|smoker|smoking|alcohol|union|sick|defaulted|mark|marks|vote|voted|raucher|gesundheit|"
    r"pregnancy|pregnant|orientation|conviction|offen[cs]e|arrest|result|poverty|benefits?|"
    r"krankheit|diagnose|befund|einkommen|gehalt|lohn|schulden|medikament|behandlung)(_|$)"
)
WEIGHT = re.compile(
    r"(^|_)((sample|sampling|survey|person|persons|household|hh|design|final|base|post|case|"
    r"analysis|frequency|freq|expansion|replicate|hochrechnungs)_?(weight|weights|wgt|wt|gewicht|"
    r"faktor|factor)|wgt|wgts|fnlwgt|finalwgt|finalwt|perwt|hhwt|asecwt|wtfinl|pwgtp|wgtp|"
    r"pwgt[0-9]*|hochrechnungsfaktor)(_|$)"
)
"""Names of survey weights. One that is called `weight` alone may be a person's own."""
WEIGHT_ALONE = re.compile(r"^(weight|weights|wt|wts|wgt|gewicht)$")
NAME_OF_PERSON = re.compile(
    r"(^|_)((full|last|first|given|middle|family|maiden)_?names?|name|names|surname|"
    r"vorname|vornamen|nachname|familienname|geburtsname)(_|$)"
)
"""Names of columns whose values each identify people, however often they repeat."""
NUMBERED = re.compile(r"(^|_)(no|nr|number|nummer)$")
"""Names of columns of numbers of something, which may be a person: by the counts of their values."""
QUANTITY = re.compile(
    r"(^|_)(age|ages|alter|years|jahre|children|kids|kinder|siblings|geschwister|size|members|persons|"
    r"people|personen|count|counts|num|anzahl|height|weight|gewicht|gr(ö|oe)(ß|ss)e|minutes|minuten|"
    r"hours|stunden|days|tage|per|pro|nights|n(ä|ae)chte|weeks|wochen|months|monate|distance|km)(_|$)"
)
"""Names of amounts: a few whole numbers in such a column are not codes."""
DIAGNOSIS = re.compile(r"(^|_)(icd|icd9|icd10|dx|diag|diagnos[ei]s|diagnosen?)([0-9]+)?(_|$)")
"""Names of columns that hold codes of diagnoses."""
POSTCODE = re.compile(r"(^|_)(zip|zipcode|zip_?code|postcode|postal|plz|postleitzahl)(_|$)")
"""Names of columns whose numbers are no years."""
