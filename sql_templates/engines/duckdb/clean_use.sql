{# out: names without a database mean the new file's, so that views in it name tables alone,
       whatever the file is called later #}
USE release
